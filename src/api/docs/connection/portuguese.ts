// What the Connection API alone says, in Portuguese, by its English texts.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";
import { instanceTexts } from "./portuguese/instance.ts";
import { sharedTexts } from "./portuguese/shared.ts";

export const PORTUGUESE_TEXTS: Catalogue = { ...sharedTexts, ...instanceTexts };
