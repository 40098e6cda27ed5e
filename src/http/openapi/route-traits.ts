// Default descriptions, derived from the row.
import type { FieldRules, Kind } from "@gateway/protocol/operations.ts";
import type { DocumentedRoute } from "./surface.ts";
import type { Language, Text } from "./text.ts";

const READ: Text = { en: "Changes nothing.", pt: "Não muda nada." };
const CHANGE: Text = { en: "Can be repeated safely with `Idempotency-Key`.", pt: "Pode ser repetida sem risco com `Idempotency-Key`." };
const DESTRUCTIVE: Text = { en: "What it removes cannot be restored.", pt: "O que ela remove não pode ser restaurado." };
const CACHED: Text = { en: "The answer may come from a 10-second cache.", pt: "A resposta pode vir de um cache de 10 segundos." };
const BEARER_ONLY: Text = { en: "Needs an access token: a key is not enough.", pt: "Exige um token de acesso: uma chave não basta." };

function sentencesOf({ effect, cached, mutating, isPublic, bearerOnly }: DocumentedRoute): readonly Text[] {
  return [
    ...(effect === "read" ? [READ] : []),
    ...(effect === "destructive" ? [DESTRUCTIVE] : []),
    ...(mutating && isPublic !== true ? [CHANGE] : []),
    ...(cached === true ? [CACHED] : []),
    ...(bearerOnly === true ? [BEARER_ONLY] : []),
  ];
}

function kindSentences({ kinds = [], fields = {} }: DocumentedRoute): readonly Text[] {
  const [only] = kinds;
  const alone: readonly Text[] =
    kinds.length === 1 && only !== undefined
      ? [
          {
            en: `Only on numbers of the kind \`${only}\`; others answer 501.`,
            pt: `Só em números do tipo \`${only}\`; os outros respondem 501.`,
          },
        ]
      : [];
  return [...alone, ...kinds.flatMap((kind) => fieldSentences(fields, kind))];
}

function fieldSentences(fields: FieldRules, kind: Kind): readonly Text[] {
  const named = (partly: boolean) =>
    Object.entries(fields)
      .filter(([, rule]) => !rule.kinds.includes(kind) && (rule.partly === true) === partly)
      .map(([field]) => `\`${field}\``)
      .join(", ");
  const [never, partly] = [named(false), named(true)];
  const NEVER: Text = {
    en: `Not taken on numbers of the kind \`${kind}\`: ${never}.`,
    pt: `Não aceitos em números do tipo \`${kind}\`: ${never}.`,
  };
  const PARTLY: Text = {
    en: `Not every value is taken on numbers of the kind \`${kind}\`: ${partly}.`,
    pt: `Nem todo valor é aceito em números do tipo \`${kind}\`: ${partly}.`,
  };
  return [...(never === "" ? [] : [NEVER]), ...(partly === "" ? [] : [PARTLY])];
}

export function descriptionOf(route: DocumentedRoute, language: Language): string {
  const spoken = (sentences: readonly Text[]): string => sentences.map((sentence) => sentence[language]).join(" ");
  const kinds = spoken(kindSentences(route));
  return [route.description?.[language] ?? spoken(sentencesOf(route)), ...(kinds === "" ? [] : [kinds])].join("\n\n");
}
