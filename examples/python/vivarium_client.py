"""A client of Vivarium's HTTP API in one file, for Python 3.9 or newer: it needs nothing but the standard library.

    from vivarium_client import Vivarium

    with Vivarium("http://127.0.0.1:7420", token) as vivarium:
        sandbox = vivarium.create({"main": "export const double = (n: number) => n * 2;"})
        outcome = vivarium.call(sandbox["id"], "main.double", [21])
        print(outcome["value"] if outcome["ok"] else outcome["error"]["kind"])

What a guest does wrong is a value, {"ok": False, "error": {"kind": …}}; what a caller does wrong, or a server that cannot
serve, is a VivariumError. Objects may be shared by threads: each request has a connection of its own.
"""

from __future__ import annotations

import http.client
import json
import os
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote, urlsplit

Json = Dict[str, Any]
Target = Union[str, Mapping[str, Any]]

# How much of an answer that is no stream is read at most.
ANSWER_BYTES_MAX = 64 * 2**20
# How much longer than its own bounds a run may take until its answer is there.
ALLOWANCE_S = 30.0


class VivariumError(Exception):
    """The server refused, or could not be reached. `code` is stable, `problem` the whole problem document (RFC 9457)."""

    def __init__(self, status: int, problem: Json) -> None:
        self.status = status
        self.code: str = problem.get("code", "CONNECTION_FAILED")
        self.problem = problem
        super().__init__(f"{self.code}: {problem.get('detail', '')}")


class Vivarium:
    """A server's sandboxes. Without arguments the address and the token are VIVARIUM_URL and VIVARIUM_TOKEN."""

    def __init__(self, url: Optional[str] = None, token: Optional[str] = None, timeout: float = 60.0) -> None:
        """`timeout` is in seconds: how long the server may be silent. A run's own time comes on top."""
        address = urlsplit(url or os.environ.get("VIVARIUM_URL", ""))
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"Cannot connect as url must begin with http:// or https://: got {address.geturl()!r}")
        self._address = address
        self._token = token or os.environ.get("VIVARIUM_TOKEN", "")
        self.timeout = timeout
        self._created: List[str] = []

    def __enter__(self) -> Vivarium:
        return self

    def __exit__(self, *_: object) -> None:
        """Destroys what was created here and is still there."""
        for sandbox_id in list(self._created):
            self.destroy(sandbox_id)

    def create(self, modules: Mapping[str, str], *, key: Optional[str] = None, **spec: Any) -> Json:
        """Creates a sandbox and returns all that is known of it; `spec` is `id`, `limits`, `profile` and so on.

        With `key`, an Idempotency-Key, a creation whose answer was lost may be asked for again: it is done once.
        """
        info = self.request("POST", "/v1/sandboxes", {"modules": modules, **spec}, key=key)
        self._created.append(info["id"])
        return info

    def call(self, sandbox_id: str, target: str, args: Sequence[Any] = (), **bounds: Any) -> Json:
        """Calls an exported function, `main.f`, and returns the outcome; `bounds` are `timeoutMs`, `cpuMs`, `fuel`."""
        body = {"target": target, "args": list(args), **bounds}
        return self.request("POST", f"/v1/sandboxes/{quote(sandbox_id, safe='')}/calls", body)

    def once(self, source: str, args: Sequence[Any] = (), **options: Any) -> Json:
        """Runs one source in a sandbox of its own that is destroyed afterwards, and returns the outcome."""
        return self.request("POST", "/v1/once", {"source": source, "args": list(args), **options})

    def evaluate(self, targets: Sequence[Target], fitness: Mapping[str, Any], **options: Any) -> Iterator[Json]:
        """Measures ids or specs, and yields each result as it comes, with its `index` among the targets.

        Leaving the loop early closes the connection, and so cancels what is under way on the server.
        """
        body = {"targets": list(targets), "fitness": fitness, **options}
        for line in self.lines("/v1/batches/evaluate", body):
            if line["type"] == "result":
                yield line["result"]

    def destroy(self, sandbox_id: str) -> None:
        """Ends a sandbox; one that is gone already is no error."""
        try:
            self.request("DELETE", f"/v1/sandboxes/{quote(sandbox_id, safe='')}")
        except VivariumError as error:
            if error.code != "SANDBOX_NOT_FOUND":
                raise
        if sandbox_id in self._created:
            self._created.remove(sandbox_id)

    def request(self, method: str, path: str, body: Optional[Json] = None, *, key: Optional[str] = None) -> Any:
        """One request of any operation, and its answer as it stands; None where there is nothing to answer."""
        with self._answer(method, path, body, key=key) as response:
            data = response.read(ANSWER_BYTES_MAX + 1)
            if len(data) > ANSWER_BYTES_MAX:
                raise VivariumError(response.status, {"detail": f"the answer is longer than {ANSWER_BYTES_MAX} bytes"})
            return json.loads(data) if data else None

    def lines(self, path: str, body: Json) -> Iterator[Json]:
        """The lines of an answer in lines (NDJSON). One that is cut off is an error, never a shorter answer."""
        with self._answer("POST", path, body, accept="application/x-ndjson") as response:
            for text in response:
                line = json.loads(text)
                if line["type"] == "error":
                    raise VivariumError(line["error"]["status"], line["error"])
                yield line
                if line["type"] in ("end", "outcome", "returned"):
                    return
            raise VivariumError(response.status, {"detail": "the answer ended before its last line"})

    @contextmanager
    def _answer(
        self, method: str, path: str, body: Optional[Json], *, key: Optional[str] = None, accept: str = "application/json"
    ) -> Iterator[http.client.HTTPResponse]:
        headers = {"Accept": accept}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if key is not None:
            headers["Idempotency-Key"] = key
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            # JSON has no NaN; a value like that would have to be sent in the codec's own text.
            data = json.dumps(body, allow_nan=False).encode()
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._address.hostname or "", self._address.port, timeout=self._patience(body))
        try:
            connection.request(method, self._address.path.rstrip("/") + path, data, headers)
            response = connection.getresponse()
            if response.status >= 400:
                raise VivariumError(response.status, _problem(response))
            yield response
        except (OSError, http.client.HTTPException) as error:
            raise VivariumError(0, {"detail": f"{method} {path}: {error!r}"}) from error
        finally:
            connection.close()

    def _patience(self, body: Optional[Json]) -> float:
        run_ms = (body or {}).get("timeoutMs")
        # What is no number is for the server to refuse.
        return max(self.timeout, run_ms / 1_000 + ALLOWANCE_S) if isinstance(run_ms, (int, float)) else self.timeout


def _problem(response: http.client.HTTPResponse) -> Json:
    """The problem document; where something else on the way has answered, what that said."""
    text = response.read(ANSWER_BYTES_MAX).decode("utf-8", "replace")
    try:
        problem = json.loads(text)
    except ValueError:
        problem = None
    if isinstance(problem, dict) and "code" in problem:
        return problem
    return {"status": response.status, "code": "REQUEST_REFUSED", "detail": f"{response.status} {text[:200]}"}
