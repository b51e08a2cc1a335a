// opencode with its own tools, connected by `editd connect`.
import { play } from './gate/play.ts';

play('opencode');
play('opencodeWithPatches');
