// An agent that replaces a text in a file, through editd. No packages are needed: node agent.ts FILE OLD NEW
import { execFileSync } from "node:child_process";
import { connect, type Socket } from "node:net";
import { basename, dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

type Fields = Record<string, any>;

/** A refusal by editd. `data` contains the kind, a hint about what to do next, and details. */
class Refused extends Error {
  readonly data: Fields;

  constructor({ message, data }: { message: string; data?: Fields }) {
    super(message);
    this.data = data ?? {};
  }
}

/** A session, which may change only what it has read. */
class Session {
  private readonly socket: Socket;
  private readonly waiting = new Map<
    number,
    { resolve: (result: Fields) => void; reject: (error: Error) => void }
  >();

  private last = 0;

  private constructor(path: string) {
    this.socket = connect(path);
    this.socket.on("error", (error) => this.end(error));
    this.socket.on("close", () =>
      this.end(new Error("editd has closed the connection")),
    );
    createInterface({ input: this.socket }).on("line", (line) => {
      const { id, result, error } = JSON.parse(line);
      const waiting = this.waiting.get(id); // undefined for notifications such as editd/fileChanged
      this.waiting.delete(id);
      if (error) {
        waiting?.reject(new Refused(error));
      } else {
        waiting?.resolve(result);
      }
    });
  }

  static async open(author: string, folder: string): Promise<Session> {
    editd("log"); // starts the daemon if it is not running
    const session = new Session(`${editd("status")["runtimeDir"]}/agent.sock`);
    const workspaceFolders = [
      { uri: pathToFileURL(folder).href, name: basename(folder) },
    ];
    await session.call("initialize", {
      clientInfo: { name: author },
      workspaceFolders,
    });
    session.send({ method: "initialized", params: {} });
    return session;
  }

  call(method: string, params: Fields): Promise<Fields> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }

  close(): void {
    this.socket.end();
  }

  private send(message: Fields): void {
    this.socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  private end(error: Error): void {
    this.waiting.forEach(({ reject }) => reject(error));
    this.waiting.clear();
  }
}

function editd(command: string): Fields {
  return JSON.parse(
    execFileSync("editd", [command, "--output", "json"], { encoding: "utf8" }),
  );
}

async function replace(
  session: Session,
  path: string,
  oldText: string,
  newText: string,
): Promise<Fields> {
  for (let tries = 3; ; tries -= 1) {
    await session.call("editd/read", { path });
    try {
      return await session.call("editd/edit", { path, oldText, newText });
    } catch (error) {
      // The file was changed after it was read. A model would inspect `error.data.diff` first.
      if (!(
        error instanceof Refused &&
        error.data["kind"] === "stale" &&
        tries > 1
      )) {
        throw error;
      }
    }
  }
}

const [file = "", oldText = "", newText = ""] = process.argv.slice(2);
const path = resolve(file);
const session = await Session.open("example", dirname(path));
try {
  const { files } = await replace(session, path, oldText, newText);
  console.log(files[0].diff);
} catch (error) {
  if (!(error instanceof Refused)) {
    throw error;
  }
  console.error(
    `${error.data["kind"]}: ${error.message}\n${error.data["hint"]}`,
  );
  process.exitCode = 1;
} finally {
  session.close();
}
