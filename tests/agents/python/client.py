"""Scenarios of a program that uses the Python SDK with editd: python client.py ERA SCENARIO...

The era is `legacy` (a handshake, then a session) or `auto` (detected from the server, and must be without sessions).
"""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import sys
import types as python_types

import mcp
import mcp.types as types

WORK = pathlib.Path.cwd()


@contextlib.asynccontextmanager
async def server(era, cwd=WORK, **options):
    parameters = mcp.StdioServerParameters(
        command="editd", args=["mcp"], env=dict(os.environ), cwd=cwd
    )
    info = types.Implementation(name="python-sdk", version="1")
    async with mcp.Client(parameters, mode=era, client_info=info, **options) as client:
        assert client.protocol_version == ("2026-07-28" if era == "auto" else "2025-11-25"), client.protocol_version
        yield client


async def call(client, tool, **arguments):
    """Calls a tool. The SDK validates the result."""
    result = await client.call_tool(tool, arguments)
    await client.session.validate_tool_result(tool, result)
    text = "\n".join(block.text for block in result.content if block.type == "text")
    return python_types.SimpleNamespace(refused=result.is_error, fields=result.structured_content, text=text)


async def done(client, tool, **arguments):
    result = await call(client, tool, **arguments)
    assert not result.refused, (tool, result)
    return result


def hash_in(result):
    """Returns the hash in a result."""
    return re.search(r"b3:[0-9a-f]{32}", result.text)[0]


async def schemas(era):
    """The SDK accepts the results of every tool, including refusals."""
    async with server(era) as client:
        assert "editd" in client.instructions
        read = await done(client, "read", path="poem.txt", numbered=False)
        await done(client, "read", path="poem.txt", offset=2, limit=1, numbered=True)
        notebook = await done(client, "read", path="notes.ipynb")
        image = (await client.call_tool("read", {"path": "red.png"})).content[-1]
        assert (image.type, image.mime_type) == ("image", "image/png") and image.data, image
        cells = [{"op": "insert", "index": 1, "cellType": "raw"}]
        await done(client, "notebook_edit", path="notes.ipynb", cells=cells, baseHash=hash_in(notebook))
        await done(client, "edit", path="poem.txt", oldText="two", newText="deux", baseHash=hash_in(read))
        await done(client, "write", path="new.txt", content="new\n")
        patch = "*** Begin Patch\n*** Add File: added.txt\n+added\n*** End Patch"
        await done(client, "apply_patch", patch=patch)
        await done(client, "undo")
        await done(client, "search", pattern="deux", context=1)
        await done(client, "find", pattern="*.txt")
        await done(client, "list")
        await done(client, "changes")
        await done(client, "diagnostics")
        await done(client, "proposal_status")
        for tool, arguments in {
            "read": {"path": "missing.txt"},
            "edit": {"path": "poem.txt", "oldText": "nowhere", "newText": ""},
            "write": {"path": "/etc/passwd", "content": ""},
            "apply_patch": {"patch": "no patch"},
            "notebook_edit": {"path": "poem.txt", "cells": []},
            "undo": {"transaction": "none"},
            "search": {"pattern": "("},
            "list": {"path": "missing"},
            "proposal_status": {"id": "none"},
        }.items():
            refused = await call(client, tool, **arguments)
            assert refused.refused, (tool, refused)
            assert re.match(r"Refused \([a-z_]+\): ", refused.text), refused
            if refused.fields:
                assert refused.fields["error"]["message"] in refused.text, refused


async def stale(era):
    """A refusal shows the changes, and the edit succeeds after another read."""
    async with server(era) as client:
        read = await call(client, "read", path="tale.txt", numbered=False)
        (WORK / "tale.txt").write_text("zero\none\ntwo\n")
        edit = {"path": "tale.txt", "oldText": "two", "newText": "deux"}
        refused = await call(client, "edit", **edit, baseHash=hash_in(read))
        assert refused.refused and refused.text.startswith("Refused (stale): "), refused
        assert "+zero" in refused.text and refused.fields is None, "lines of files come as text only"
        again = await call(client, "read", path="tale.txt", numbered=False)
        assert hash_in(refused) == hash_in(again) != hash_in(read)
        edited = await done(client, "edit", **edit, baseHash=hash_in(again))
        assert edited.fields["state"] == "applied" and edited.fields["files"][0]["hash"] == hash_in(edited), edited
    assert (WORK / "tale.txt").read_text() == "zero\none\ndeux\n"


async def waiting(client, path):
    """Starts an edit that waits for a person, and waits for its first progress notification."""
    read = await done(client, "read", path=path, numbered=False)
    edit = {"path": path, "oldText": "two", "newText": "deux", "baseHash": hash_in(read), "waitMs": 45000}
    said = asyncio.Queue()

    async def progress(amount, total, message):
        await said.put((amount, message))

    waits = asyncio.create_task(client.call_tool("edit", edit, progress_callback=progress))
    amount, message = await asyncio.wait_for(said.get(), 20)
    assert amount > 0 and "person" in message, message
    return waits


async def progress(era):
    """The client receives progress while a person decides, and the decision ends the wait."""
    async with server(era) as client:
        waits = await waiting(client, "tale.txt")
        listed = await call(client, "proposal_status")
        await accept(re.search(r"p[0-9a-f]+-\d+", listed.text)[0])
        decided = await asyncio.wait_for(waits, 10)
        assert decided.structured_content["state"] == "applied", decided
    assert (WORK / "tale.txt").read_text() == "one\ndeux\n"


async def cancel(era):
    """A cancelled call ends immediately, and the change still waits for the person."""
    async with server(era) as client:
        waits = await waiting(client, "poem.txt")
        waits.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waits
        listed = await asyncio.wait_for(call(client, "proposal_status"), 5)
        await accept(re.search(r"p[0-9a-f]+-\d+", listed.text)[0])
    assert (WORK / "poem.txt").read_text() == "one\ndeux\n"


async def roots(era):
    """Relative paths refer to the folder that the client sends, not to the working folder of the server."""

    async def folders(context):
        return types.ListRootsResult(roots=[types.Root(uri=WORK.as_uri(), name="work")])

    elsewhere = WORK.parent / "elsewhere"
    elsewhere.mkdir()
    async with server(era, cwd=elsewhere, list_roots_callback=folders) as client:
        read = await call(client, "read", path="poem.txt", numbered=False)
        # Paths are relative to the folder, which alone has such a file.
        assert read.text.startswith("poem.txt, lines 1-2 of 2"), read
        outside = await call(client, "write", path=str(elsewhere / "new.txt"), content="")
        assert outside.fields["error"]["kind"] == "outside_workspace", outside


async def asks(era):
    """The client asks its user about a change that only a person can allow, and the answer counts."""
    questions = []

    async def answer(context, params):
        questions.append(params.message)
        decision = params.requested_schema["properties"]["decision"]["enum"][0]
        return types.ElicitResult(action="accept", content={"decision": decision, "comment": "once"})

    async with server(era, elicitation_callback=answer) as client:
        written = await done(client, "write", path=".github/workflows/ci.yml", content="on: push\n")
        assert written.fields["state"] == "applied" and "A person said: once" in written.text, written
    assert len(questions) == 1 and questions[0].endswith("New file `.github/workflows/ci.yml`:\n+on: push"), questions
    assert (WORK / ".github/workflows/ci.yml").read_text() == "on: push\n"


async def accept(proposal):
    """Accepts all of a proposal over the socket for editors, as a plugin does."""
    reader, writer = await asyncio.open_unix_connection(os.environ["EDITD_RUNTIME_DIR"] + "/editor.sock")

    async def ask(number, method, **params):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        writer.write(json.dumps(message).encode() + b"\n")
        while True:
            answer = json.loads(await asyncio.wait_for(reader.readline(), 10))
            if answer.get("id") == number:
                return answer["result"]

    await ask(1, "initialize", clientInfo={"name": "person"}, capabilities={}, rootUri=None)
    shown = await ask(2, "editd/proposal", id=proposal)
    await ask(3, "editd/decide", id=proposal, revision=shown["revision"], accept="all")
    writer.close()


async def main(era, *scenarios):
    for scenario in scenarios:
        print(scenario, flush=True)
        await globals()[scenario](era)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
