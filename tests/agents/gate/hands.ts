// The hands of a model: it calls the tools of its program on the files of a scene, and returns what it is shown.
import type { Stage } from '../model/conversation.ts';
import type { ToolCall, Tools } from '../native/program.ts';
import type { Desk } from './desk.ts';

/** An edit of whole lines, given without the last line ending. */
export type Replacement = [name: string, oldText: string, newText: string];

export class Hands {
  readonly stage: Stage;
  private readonly tools: Tools;
  private readonly desk: Desk;

  constructor(stage: Stage, tools: Tools, desk: Desk) {
    this.stage = stage;
    this.tools = tools;
    this.desk = desk;
  }

  call([tool, args]: ToolCall): Promise<string> {
    return this.stage.callOwn(tool, args);
  }

  reads(name: string): Promise<string> {
    return this.call(this.tools.read(this.desk.path(name)));
  }

  edits(...edit: Replacement): Promise<string> {
    return this.call(this.edit(edit));
  }

  /** Makes several edits in one turn. */
  editsAll(edits: readonly Replacement[]): Promise<string[]> {
    return this.stage.callsOwn(edits.map((edit) => this.edit(edit)));
  }

  /** Runs a command with the shell of the program. */
  runs(command: string): Promise<string> {
    return this.call(this.tools.shell(command));
  }

  writes(name: string, text: string): Promise<string> {
    return this.call(this.tools.write(this.desk.path(name), text));
  }

  private edit([name, oldText, newText]: Replacement): ToolCall {
    return this.tools.edit(this.desk.path(name), oldText, newText);
  }
}
