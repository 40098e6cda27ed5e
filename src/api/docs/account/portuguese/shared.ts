// What several families of routes say, and the document itself, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const sharedTexts: Catalogue = {
  "Account API": "API da conta",
  "Whether the service is up, and this description. Open to whoever asks.":
    "Se o serviço está no ar, e esta descrição. Aberto a quem perguntar.",
  Service: "Serviço",
  "A key of the account. It wins when both headers are sent.": "Uma chave da conta. Vence quando os dois cabeçalhos são enviados.",
  "An access token of the identity provider.": "Um token de acesso do provedor de identidade.",
  "Stable: what a program decides by": "Estável: é por ele que um programa decide",
  "For people; may change": "Para pessoas; pode mudar",
  "The wrong fields, or what else is known of the failure": "Os campos errados, ou o que mais se sabe do erro",
  "Give it to support": "Informe-o ao suporte",
  "null while it is not known": "null enquanto não se sabe",
  "Percent; null while it is not known": "Porcentagem; null enquanto não se sabe",
  "Whether the service is up": "Se o serviço está no ar",
  "Done.": "Feito.",
  "Whether everything that requests need is there; 503 when something is missing":
    "Se há tudo de que os pedidos precisam; 503 quando falta algo",
  "Answers 503 with the same body while something is missing.": "Responde 503 com o mesmo corpo enquanto falta algo.",
  "This description of the Account API, OpenAPI 3.1": "Esta descrição da API da conta, OpenAPI 3.1",
  "This very description.": "Esta mesma descrição.",
  "1 to 255 visible ASCII characters. The same value within 24 hours gets the first answer, and nothing is done twice.":
    "De 1 a 255 caracteres ASCII visíveis. O mesmo valor, em 24 horas, recebe a primeira resposta, e nada se faz duas vezes.",
  "`next_cursor` of the page before": "O `next_cursor` da página anterior",
};
