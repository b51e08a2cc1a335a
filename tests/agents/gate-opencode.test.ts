// opencode with its own tools, connected by `editd connect`.
import { fails } from './gate/failing.ts';
import { play } from './gate/play.ts';
import { SCENES } from './gate/scenes.ts';

play('opencode', [...SCENES, fails]);
play('opencodeWithPatches', [...SCENES, fails]);
