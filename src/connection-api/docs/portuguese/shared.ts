// What several families of routes say, and the document itself, in Portuguese.
import type { Catalogue } from "../../../http/openapi/translate.ts";

export const sharedTexts: Catalogue = {
  "Connection API": "API da conexão",
  Status: "Status",
  Presence: "Presença",
  "The key of the connection. It wins when both headers are sent.": "A chave da conexão. Vence quando os dois cabeçalhos são enviados.",
  "The same key, as `Authorization: Bearer svc_…`.": "A mesma chave, como `Authorization: Bearer svc_…`.",
  "The invalid fields, or what else is known about the error": "Os campos errados, ou o que mais se sabe do erro",
  "Digits only; null when unknown": "Só dígitos; null quando desconhecido",
  "Unix seconds": "Segundos Unix",
  "Done.": "Feito.",
  "1 to 255 visible ASCII characters. The same value within 24 hours gets the first answer, and the action is not repeated.":
    "De 1 a 255 caracteres ASCII visíveis. O mesmo valor, em 24 horas, recebe a primeira resposta e não repete a ação.",
  "Phone number, digits only": "Telefone, só dígitos",
  "Id of the chat, as events carry it; digits alone work too": "Id da conversa, como os eventos o trazem; só dígitos também servem",
  "Public https; up to 50 MB in 30 seconds, up to 3 redirects": "https público; até 50 MB em 30 segundos, até 3 redirecionamentos",
  "The content of the file, without a `data:` prefix; the whole body is at most 25 MB":
    "O conteúdo do arquivo, sem o prefixo `data:`; o corpo inteiro tem no máximo 25 MB",
  "ISO 8601, or Unix seconds": "ISO 8601, ou segundos Unix",
  "The `next_cursor` of the previous page": "O `next_cursor` da página anterior",
  "ISO 8601 or Unix seconds": "ISO 8601 ou segundos Unix",
  "Empty removes the description": "Vazio remove a descrição",
  "As in the header `X-Request-Id`. Give it to support. Only with `erro_interno`":
    "Como no cabeçalho `X-Request-Id`. Informe-o ao suporte. Só vem com `erro_interno`",
};
