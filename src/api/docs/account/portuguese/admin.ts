// What the routes of administration share, and those of the audit log, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const adminTexts: Catalogue = {
  Administration: "Administração",
  "Users, instances, bridges and proxies of the whole deployment, for administrators alone: the scope `admin`, with a key that is not restricted to instances.":
    "Usuários, instâncias, bridges e proxies de toda a instalação, só para administradores: o escopo `admin`, com uma chave sem restrição a instâncias.",
  "What administrators have done, newest first": "O que os administradores fizeram, do mais novo ao mais antigo",
  "Every change by an `/admin` route has one entry, also one that was refused.":
    "Cada mudança por uma rota `/admin` tem um registro, também a que foi recusada.",
  "When it was begun": "Quando começou",
  "The id of the administrator; `settings` when ADMIN_EMAIL made the first one":
    "O id do administrador; `settings` quando o ADMIN_EMAIL fez o primeiro",
  "The address they have now; null when their account is gone": "O endereço atual; null quando a conta não existe mais",
  "The key they used; null with a bearer token": "A chave usada; null com um token de acesso",
  "What was changed, as it was; null when it was created": "O que mudou, como era; null quando foi criado",
  "The same as it is since then; null when it was removed": "O mesmo, como ficou; null quando foi removido",
  "`unknown`: something broke in the middle, and it may have been carried out":
    "`unknown`: algo quebrou no meio, e pode ter sido executado",
  "Why it was refused: the code of the answer": "Por que foi recusado: o código da resposta",
  "Id or e-mail address of the administrator": "Id ou e-mail do administrador",
  "The public name of the route: its `operationId`": "O nome público da rota: seu `operationId`",
  "The id of what was acted on": "O id daquilo sobre que se agiu",
  "Not before this time": "Não antes deste momento",
  "Before this time": "Antes deste momento",
  "Why: it goes into the audit log, and to nobody else": "O motivo: vai para o registro de auditoria, e para mais ninguém",
};
