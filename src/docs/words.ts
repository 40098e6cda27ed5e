// What the page itself says, in the language of the document it shows.

const PORTUGUESE = {
  guide: "Guia",
  reference: "Referência",
  objects: "Objetos",
  search: "Procurar rota…",
  parameters: "Parâmetros",
  body: "Corpo",
  request: "Pedido",
  answer: "Resposta",
  errors: "Erros",
  field: "Campo",
  meaning: "Significado",
  status: "Status",
  required: "obrigatório",
  list: "lista de",
  or: "ou",
  characters: "caracteres",
  items: "itens",
  byDefault: "padrão",
  open: "sem chave",
  copy: "Copiar",
  copied: "Copiado",
  answeredBy: "Este exemplo responde",
  machine: "Para máquinas",
};

type Words = typeof PORTUGUESE;

const ENGLISH: Words = {
  guide: "Guide",
  reference: "Reference",
  objects: "Objects",
  search: "Find a route…",
  parameters: "Parameters",
  body: "Body",
  request: "Request",
  answer: "Answer",
  errors: "Errors",
  field: "Field",
  meaning: "Meaning",
  status: "Status",
  required: "required",
  list: "list of",
  or: "or",
  characters: "characters",
  items: "items",
  byDefault: "default",
  open: "no credentials",
  copy: "Copy",
  copied: "Copied",
  answeredBy: "This example answers",
  machine: "For machines",
};

export function wordsOf(language: string): Words {
  return language.startsWith("pt") ? PORTUGUESE : ENGLISH;
}

export type { Words };
