import { opencode } from './programs/opencode.ts';
import { scenes } from './scenes.ts';

scenes(opencode);
