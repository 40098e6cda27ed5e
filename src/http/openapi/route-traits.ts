// What a caller must know of a route that has no description of its own: it follows from the row.
import type { DocumentedRoute, DocumentedSurface } from "./surface.ts";
import type { Catalogue } from "./translate.ts";

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

export function descriptionOf(route: DocumentedRoute): string {
  return (
    route.description ??
    sentencesOf(route)
      .map(([english]) => english)
      .join(" ")
  );
}

/** The generated descriptions of a surface's routes in Portuguese, by the English ones. */
export function traitCatalogue({ routes }: DocumentedSurface): Catalogue {
  const generated = routes.filter(({ description }) => description === undefined);
  return Object.fromEntries(
    generated.map((route) => [
      descriptionOf(route),
      sentencesOf(route)
        .map(([, portuguese]) => portuguese)
        .join(" "),
    ]),
  );
}
