"""An agent that replaces a text in a file, through editd. No packages are needed: python3 agent.py FILE OLD NEW"""

import json
import pathlib
import socket
import subprocess
import sys


class Refused(Exception):
    """A refusal by editd. `data` contains the kind, a hint about what to do next, and details."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.data = error.get("data", {})


class Session:
    """A session, which may change only what it has read."""

    def __init__(self, author, folder):
        editd("log")  # starts the daemon if it is not running
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(editd("status")["runtimeDir"] + "/agent.sock")
        self.lines = self.socket.makefile(encoding="utf-8", newline="\n")
        self.last = 0
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        self.call("initialize", clientInfo={"name": author}, workspaceFolders=folders)
        self.send(method="initialized", params={})

    def call(self, method, **params):
        self.last += 1
        self.send(id=self.last, method=method, params=params)
        for line in self.lines:
            answer = json.loads(line)
            if answer.get("id") != self.last:
                continue  # a notification such as editd/fileChanged
            if "error" in answer:
                raise Refused(answer["error"])
            return answer["result"]
        raise ConnectionError("editd has closed the connection")

    def send(self, **message):
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def editd(command):
    return json.loads(subprocess.check_output(["editd", command, "--output", "json"]))


def replace(session, path, old_text, new_text, tries=3):
    session.call("editd/read", path=path)
    try:
        return session.call("editd/edit", path=path, oldText=old_text, newText=new_text)
    except Refused as refused:
        # The file was changed after it was read. A model would inspect `refused.data["diff"]` first.
        if refused.data.get("kind") != "stale" or tries == 1:
            raise
        return replace(session, path, old_text, new_text, tries - 1)


def main():
    file, old_text, new_text = sys.argv[1:]
    path = pathlib.Path(file).resolve()
    try:
        done = replace(Session("example", path.parent), str(path), old_text, new_text)
    except Refused as refused:
        sys.exit(f"{refused.data.get('kind')}: {refused}\n{refused.data.get('hint')}")
    print(done["files"][0]["diff"])
    if done["state"] == "pending":
        print("The change waits for the review of a person.", file=sys.stderr)


if __name__ == "__main__":
    main()
