"""Where the operator asks for sign-in nothing is shown before it, and a half-made setting stops the start."""

import pytest
from streamlit.testing.v1 import AppTest

from lib.errors import InputError
from lib.ui import sign_in

WHOLE = dict.fromkeys(sign_in.SETTINGS.values(), "given")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of this machine reaches the tests."""
    for name in (sign_in.ASKED_FOR, *sign_in.SETTINGS.values()):
        monkeypatch.delenv(name, raising=False)


def test_without_the_setting_everybody_may_look() -> None:
    """The default asks for nothing, and settings of a provider alone change nothing."""
    assert not sign_in.is_asked_for()
    assert sign_in.secrets() is None
    sign_in.check()


def test_an_unknown_word_is_neither_yes_nor_no(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip does not leave the door open."""
    monkeypatch.setenv(sign_in.ASKED_FOR, "yes")
    with pytest.raises(InputError, match="oidc, or blank"):
        sign_in.is_asked_for()


def test_settings_come_from_the_environment_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """All five together make the section [auth]; each one missing is named."""
    monkeypatch.setenv(sign_in.ASKED_FOR, "oidc")
    for name, value in WHOLE.items():
        monkeypatch.setenv(name, value)
    assert sign_in.secrets() == {"auth": dict.fromkeys(sign_in.SETTINGS, "given")}
    for name in set(WHOLE) - {sign_in.SETTINGS["client_id"]}:
        with monkeypatch.context() as without:
            without.delenv(name)
            with pytest.raises(InputError, match=name):
                sign_in.secrets()


def test_asked_for_without_settings_the_app_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither environment nor file: the start names what is missing."""
    monkeypatch.setenv(sign_in.ASKED_FOR, "oidc")
    with pytest.raises(InputError, match="LEDGER_OIDC_CLIENT_ID"):
        sign_in.check()


@pytest.mark.parametrize("asked", [True, False])
def test_a_visitor_who_has_not_signed_in_sees_the_way_in_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    """One button, no page, no navigation, no side bar; without the setting the page."""
    if asked:
        monkeypatch.setenv(sign_in.ASKED_FOR, "oidc")
    at = AppTest.from_file("../lib/ui/shell.py", default_timeout=60).run()
    assert not at.exception
    if asked:
        assert [button.label for button in at.button] in (["Sign in"], ["登录"])
        assert len(at.sidebar) == 0
        assert len(at.title) == 1
    else:
        assert len(at.sidebar) > 0
        assert "Sign in" not in [button.label for button in at.button]
