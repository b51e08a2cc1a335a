// A proxy between a client and the daemon's socket for agents that sees every answer before the client does.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { type Server, type Socket, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Place } from './place.ts';
import { editd } from './tools.ts';

export class Between {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(daemon: string, answered: (answer: string) => void) {
    this.server = createServer((client) => {
      const upstream = connect(daemon);
      this.sockets.add(client).add(upstream);
      client.pipe(upstream);
      createInterface({ input: upstream }).on('line', (line) => {
        answered(line);
        client.write(`${line}\n`);
      });
      for (const each of [client, upstream]) {
        each.on('error', () => undefined);
        each.on('close', () => {
          this.close();
        });
      }
    });
  }

  /** Makes `editd status` return the address of the proxy from now on. */
  static async listen(place: Place, answered: (answer: string) => void): Promise<Between> {
    const folder = join(place.folder, 'between');
    mkdirSync(folder);
    const between = new Between(join(place.sockets, 'agent.sock'), answered);
    await new Promise<void>((resolve) => between.server.listen(join(folder, 'agent.sock'), resolve));
    const program = join(place.folder, 'bin/editd');
    const status = JSON.stringify({ runtimeDir: folder });
    rmSync(program);
    writeFileSync(program, `#!/bin/sh\n[ "$1" = status ] && exec echo '${status}'\nexec '${editd}' "$@"\n`);
    chmodSync(program, 0o755);
    return between;
  }

  close(): void {
    this.server.close();
    for (const each of this.sockets) {
      each.destroy();
    }
  }
}
