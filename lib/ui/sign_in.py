"""Sign-in with the organisation's own identity provider, where the operator asks for it: nothing is shown before."""

import importlib.util
import os
from collections.abc import Mapping
from typing import Final

import streamlit as st
from streamlit.runtime.secrets import SecretsValue

from lib.errors import InputError
from lib.ui import state

ASKED_FOR: Final = "LEDGER_SIGN_IN"
"""Environment variable: "oidc" asks for sign-in; blank, everybody who reaches the server may look."""

SETTINGS: Final = {
    "server_metadata_url": "LEDGER_OIDC_METADATA_URL",
    "client_id": "LEDGER_OIDC_CLIENT_ID",
    "client_secret": "LEDGER_OIDC_CLIENT_SECRET",
    "redirect_uri": "LEDGER_OIDC_REDIRECT_URI",
    "cookie_secret": "STREAMLIT_SERVER_COOKIE_SECRET",
}
"""What Streamlit's section [auth] needs, and the environment variable of each."""


def is_asked_for() -> bool:
    """Whether a visitor has to sign in; a word that means neither yes nor no stops the start."""
    word = os.environ.get(ASKED_FOR, "").strip().lower()
    if word not in ("", "oidc"):
        raise InputError(ASKED_FOR, word, "oidc, or blank")
    return word == "oidc"


def secrets() -> Mapping[str, SecretsValue] | None:
    """The section [auth] from the environment; None where it is left to a file of secrets."""
    given: dict[str, SecretsValue] = {
        name: os.environ[variable] for name, variable in SETTINGS.items() if os.environ.get(variable)
    }
    if not is_asked_for() or "client_id" not in given:
        return None
    if missing := [variable for name, variable in SETTINGS.items() if name not in given]:
        raise InputError(ASKED_FOR, "oidc", f"together with {', '.join(missing)}")
    return {"auth": given}


def check() -> None:
    """Stop the start where sign-in is asked for and cannot work: it must not fall open, nor fail visitor by visitor."""
    if not is_asked_for():
        return
    if not st.secrets.load_if_toml_exists() or "auth" not in st.secrets:
        raise InputError(ASKED_FOR, "oidc", f"together with {', '.join(SETTINGS.values())}, or a file with [auth]")
    if importlib.util.find_spec("authlib") is None:
        raise InputError(ASKED_FOR, "oidc", "with the packages of requirements-auth.txt")


def gate() -> None:
    """Show the way in and nothing else to a visitor who has not signed in."""
    if not is_asked_for() or getattr(st.user, "is_logged_in", False):
        return
    _ = state.text()
    st.title(_("Accelerator Ledger"), anchor=False)
    st.markdown(
        _(
            "This server is for members of an organisation. After signing in, open your link again: it holds the scenario."
        )
    )
    st.button(_("Sign in"), on_click=st.login, type="primary")
    st.stop()
