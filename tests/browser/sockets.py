"""A caller that speaks Streamlit's own protocol without a browser, for what no page would ever send."""

import http.client
import itertools
import re
import socket
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets import ConnectionClosed, Subprotocol
from websockets.sync.client import ClientConnection, connect

BOUNDARY = "ledger-boundary"
SECONDS = 30
_STATUS = re.compile(rb"HTTP/1\.1 (\d+) ")
_REFUSAL = b"too many files"


class Caller:
    """One visitor with a websocket, a session and the token that uploads need."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.host = urlsplit(url).netloc
        self.http = http.client.HTTPConnection(self.host, timeout=SECONDS)
        self.socket: ClientConnection | None = None
        self.token = ""
        self.session = ""

    def open(self, query: str = "", page: str = "memory") -> None:
        """Connect as a page does, run it once, and learn the session from the address of an upload."""
        status, headers, _ = self.request("GET", "/_stcore/health")
        assert status == 200
        self.token = headers["set-cookie"].partition("_streamlit_xsrf=")[2].partition(";")[0]
        self.socket = self.connect()
        message = BackMsg()
        message.rerun_script.query_string = query
        message.rerun_script.page_name = page
        self.socket.send(message.SerializeToString())
        for reply in self.replies():
            if reply.WhichOneof("type") == "script_finished":
                break
        message = BackMsg()
        message.file_urls_request.request_id = "1"
        message.file_urls_request.file_names.append("a.json")
        self.socket.send(message.SerializeToString())
        for reply in self.replies():
            if reply.WhichOneof("type") == "file_urls_response":
                self.session = reply.file_urls_response.file_urls[0].upload_url.split("/")[-2]
                return

    def connect(self, **options: Any) -> ClientConnection:
        """A websocket to the app's stream."""
        given: dict[str, Any] = {"subprotocols": [Subprotocol("streamlit")], "max_size": None, "legacy": True} | options
        made: ClientConnection = connect(f"ws://{self.host}/_stcore/stream", **given)
        return made

    def cut_off_with(self, message: bytes) -> int | None:
        """Send a message on a connection of its own; the code with which it was cut off, None without one."""
        own = self.connect()
        try:
            own.send(message)
            while True:
                own.recv(timeout=SECONDS)
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None
        except ConnectionError:
            return None
        finally:
            own.close()

    def replies(self) -> Any:
        """Messages of the server, one after another."""
        assert self.socket is not None
        for _ in itertools.count():
            reply = ForwardMsg()
            reply.ParseFromString(self.socket.recv(timeout=SECONDS))
            yield reply

    def put(self, file_id: str, content: bytes, session: str | None = None, token: str | None = None) -> int:
        """Upload a file as the page would; the status of the answer."""
        return self.request("PUT", *self._upload(file_id, content, session, token))[0]

    def flood(self, count: int, content: bytes, at_a_time: int = 50) -> Counter[int]:
        """Upload that many files without waiting for each answer; how often each status came."""
        path, body, headers = self._upload("flood", content)
        head = "".join(f"{name}: {value}\r\n" for name, value in {"Host": self.host, **headers}.items())
        request = f"PUT {path} HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
        statuses: Counter[int] = Counter()
        address, _, port = self.host.partition(":")
        with socket.create_connection((address, int(port)), SECONDS) as flooding:
            for _ in range(count // at_a_time):
                flooding.sendall(request * at_a_time)
                answers = b""
                while len(found := _STATUS.findall(answers)) < at_a_time or not answers.endswith(_REFUSAL):
                    answers += flooding.recv(65_536)
                statuses.update(int(status) for status in found)
        return statuses

    def _upload(
        self, file_id: str, content: bytes, session: str | None = None, token: str | None = None
    ) -> tuple[str, bytes, dict[str, str]]:
        """Path, body and headers of an upload."""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="{file_id}.json"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        secret = self.token if token is None else token
        headers = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "X-Xsrftoken": secret,
            "Cookie": f"_streamlit_xsrf={self.token}",
        }
        path = f"/_stcore/upload_file/{self.session if session is None else session}/{file_id}"
        return path, body, headers

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request over a kept connection, made anew where the server has closed it."""
        for _ in range(3):
            try:
                self.http.request(method, path, body, headers or {})
                answer = self.http.getresponse()
                return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
            except (http.client.HTTPException, ConnectionError):
                self.http.close()
        raise RuntimeError(f"{method} {path}: no answer")

    def close(self) -> None:
        """End the session and the connection."""
        self.http.close()
        if self.socket is not None:
            self.socket.close()
