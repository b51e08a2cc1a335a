// Codex with its own tools, connected by `editd connect`.
import { play } from './gate/play.ts';

play('codex');
play('codexInCode');
