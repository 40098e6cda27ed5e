// What a caller must know of a route that has no description of its own: it follows from the row.
import type { FieldRules, Kind } from "@gateway/protocol/operations.ts";
import type { DocumentedRoute, DocumentedSurface } from "./surface.ts";
import { type Catalogue, PARAGRAPH } from "./translate.ts";

type Sentence = readonly [english: string, portuguese: string];

const READ: Sentence = ["Changes nothing.", "Não muda nada."];
const CHANGE: Sentence = ["Can be repeated safely with `Idempotency-Key`.", "Pode ser repetida sem risco com `Idempotency-Key`."];
const DESTRUCTIVE: Sentence = ["What it removes cannot be restored.", "O que ela remove não pode ser restaurado."];
const CACHED: Sentence = ["The answer may come from a 10-second cache.", "A resposta pode vir de um cache de 10 segundos."];
const BEARER_ONLY: Sentence = ["Needs an access token: a key is not enough.", "Exige um token de acesso: uma chave não basta."];

function sentencesOf({ effect, cached, mutating, isPublic, bearerOnly }: DocumentedRoute): readonly Sentence[] {
  return [
    ...(effect === "read" ? [READ] : []),
    ...(effect === "destructive" ? [DESTRUCTIVE] : []),
    ...(mutating && isPublic !== true ? [CHANGE] : []),
    ...(cached === true ? [CACHED] : []),
    ...(bearerOnly === true ? [BEARER_ONLY] : []),
  ];
}

/** Which kinds of numbers it works on, and which fields only with some of them. */
function kindSentences({ kinds = [], fields = {} }: DocumentedRoute): readonly Sentence[] {
  const [only] = kinds;
  const alone: readonly Sentence[] =
    kinds.length === 1 && only !== undefined
      ? [[`Only on numbers of the kind \`${only}\`; others answer 501.`, `Só em números do tipo \`${only}\`; os outros respondem 501.`]]
      : [];
  return [...alone, ...kinds.flatMap((kind) => fieldSentences(fields, kind))];
}

function fieldSentences(fields: FieldRules, kind: Kind): readonly Sentence[] {
  const named = (partly: boolean) =>
    Object.entries(fields)
      .filter(([, rule]) => !rule.kinds.includes(kind) && (rule.partly === true) === partly)
      .map(([field]) => `\`${field}\``)
      .join(", ");
  const [never, partly] = [named(false), named(true)];
  const NEVER: Sentence = [
    `Not taken on numbers of the kind \`${kind}\`: ${never}.`,
    `Não aceitos em números do tipo \`${kind}\`: ${never}.`,
  ];
  const PARTLY: Sentence = [
    `Not every value is taken on numbers of the kind \`${kind}\`: ${partly}.`,
    `Nem todo valor é aceito em números do tipo \`${kind}\`: ${partly}.`,
  ];
  return [...(never === "" ? [] : [NEVER]), ...(partly === "" ? [] : [PARTLY])];
}

export function descriptionOf(route: DocumentedRoute): string {
  const kinds = english(kindSentences(route));
  return [route.description ?? english(sentencesOf(route)), ...(kinds === "" ? [] : [kinds])].join(PARAGRAPH);
}

/** The generated paragraphs of a surface's routes in Portuguese, by the English ones. */
export function traitCatalogue({ routes }: DocumentedSurface): Catalogue {
  const paragraphs = routes.flatMap((route) => [...(route.description === undefined ? [sentencesOf(route)] : []), kindSentences(route)]);
  return Object.fromEntries(paragraphs.map((sentences) => [english(sentences), sentences.map(([, portuguese]) => portuguese).join(" ")]));
}

const english = (sentences: readonly Sentence[]): string => sentences.map(([text]) => text).join(" ");
