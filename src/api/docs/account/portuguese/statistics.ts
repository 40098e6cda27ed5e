// The statistics, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const statisticsTexts: Catalogue = {
  "The deployment's numbers": "Os números da instalação",
  "Counts are exact. Instances report whole hours within ten minutes after their end: `complete_until` says up to when all have, and what is later may still grow. The running hour is asked of the instances, unless there are more than 100.":
    "As contagens são exatas. As instâncias informam horas inteiras em até dez minutos depois do fim delas: `complete_until` diz até quando todas informaram, e o que vem depois ainda pode crescer. A hora em andamento é perguntada às instâncias, a não ser que haja mais de 100.",
  "Rounded down to the hour or day (UTC). Default: 24 hours or 30 days before `to`":
    "Arredondado para o começo da hora ou do dia (UTC). Padrão: 24 horas ou 30 dias antes de `to`",
  "Rounded up to the hour or day (UTC), at most 90 days after `from`. Default: now":
    "Arredondado para o fim da hora ou do dia (UTC), no máximo 90 dias depois de `from`. Padrão: agora",
  "Hours are kept for 31 days, days for 400": "Horas ficam guardadas por 31 dias, dias por 400",
  "Of one account alone": "Só de uma conta",
  "Of one instance alone": "Só de uma instância",
  "Instances have reported what was counted before this time, but for one that could not":
    "As instâncias informaram o que foi contado antes deste momento, exceto uma que não tenha conseguido",
  "As they are now": "Como estão agora",
  "Messages of the APIs and the dashboard that the network accepted": "Mensagens das APIs e do painel que a rede aceitou",
  "Messages that were announced by `message.received`": "Mensagens anunciadas por `message.received`",
  "Messages that were not sent, or that nothing has proven to be sent for an hour":
    "Mensagens que não foram enviadas, ou cujo envio nada comprovou em uma hora",
  "Events times receivers": "Eventos vezes receptores",
  "Requests to receivers that have ended": "Requisições a receptores que terminaram",
  "Deliveries that were accepted, each once": "Entregas aceitas, cada uma contada uma vez",
  "Deliveries that were given up, or stored for a webhook that is disabled":
    "Entregas das quais se desistiu, ou guardadas para um webhook desativado",
  "Deliveries that wait for an attempt, as instances have last reported":
    "Entregas que esperam uma tentativa, como as instâncias informaram por último",
  "Half of the accepted attempts took no longer; null without any":
    "Metade das tentativas aceitas não demorou mais que isto; null sem nenhuma",
  "95 % of the accepted attempts took no longer; null without any":
    "95 % das tentativas aceitas não demoraram mais que isto; null sem nenhuma",
  "How often a webhook was disabled after 72 hours of failures": "Quantas vezes um webhook foi desativado depois de 72 horas de falhas",
  "Why sends failed, codes of calls that were answered 500, 502, 503 or 504, and why attempts at receivers failed (`webhook_…`)":
    "Por que envios falharam, códigos de chamadas respondidas com 500, 502, 503 ou 504, e por que tentativas em receptores falharam (`webhook_…`)",
  "Of the whole deployment, as they are now": "De toda a instalação, como estão agora",
  "The beginning of the hour or day, UTC": "O começo da hora ou do dia, UTC",
  "False while the hour or day runs, or instances have yet to report it":
    "false enquanto a hora ou o dia está em andamento ou ainda há instâncias por informar",
  "Oldest first, without those that lie in the future": "Do mais antigo ao mais novo, sem os que estão no futuro",
};
