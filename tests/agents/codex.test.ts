import { codex } from './programs/codex.ts';
import { scenes } from './scenes.ts';

scenes(codex);
