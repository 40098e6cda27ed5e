// What several families of routes say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const commonTexts: Catalogue = {
  Status: "Status",
  Presence: "Presença",
  "The `next_cursor` of the previous page": "O `next_cursor` da página anterior",
  "ISO 8601 or Unix seconds": "ISO 8601 ou segundos Unix",
  "Id of the chat, as events carry it; digits alone work too": "Id da conversa, como os eventos o trazem; só dígitos também servem",
  "Phone number, digits only": "Telefone, só dígitos",
  "Phone number: digits, or `<phone>@c.us`": "Telefone: dígitos, ou `<telefone>@c.us`",
  "Who calls: digits, or the chat id": "Quem liga: dígitos, ou o id da conversa",
  "Who is mentioned: digits, or `<phone>@c.us`": "Quem é mencionado: dígitos, ou `<telefone>@c.us`",
  "Public https; up to 50 MB in 30 seconds, up to 3 redirects": "https público; até 50 MB em 30 segundos, até 3 redirecionamentos",
  "The content of the file, without a `data:` prefix; the whole body is at most 25 MB":
    "O conteúdo do arquivo, sem o prefixo `data:`; o corpo inteiro tem no máximo 25 MB",
  "Digits only; null when unknown": "Só dígitos; null quando desconhecido",
  "ISO 8601, or Unix seconds": "ISO 8601, ou segundos Unix",
  "Empty removes the description": "Vazio remove a descrição",
};
