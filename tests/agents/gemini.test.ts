import { gemini } from './programs/gemini.ts';
import { scenes } from './scenes.ts';

scenes(gemini);
