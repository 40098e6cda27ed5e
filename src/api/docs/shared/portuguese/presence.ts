// What the routes of presence and calls say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const presenceTexts: Catalogue = {
  "The presence of the number itself.": "Presença do próprio número.",
  "Incoming calls.": "Chamadas recebidas.",
  Calls: "Chamadas",
  "The presence in a chat": "A presença numa conversa",
  "The first read subscribes the chat. The network shows the presence of others only to those who show themselves online (`PUT /presence`).":
    "A primeira leitura inscreve a conversa. A rede só mostra a presença de outros a quem também se mostra online (`PUT /presence`).",
  "Unsubscribes the chat": "Desfaz a inscrição",
  "Shows the number as online or offline; also holds after a reconnection":
    "Mostra o número online ou offline; vale também depois de uma reconexão",
  "The presence of the number itself and the subscribed chats": "A presença do próprio número e as conversas inscritas",
  "Calls of the last seven days, newest first": "Chamadas dos últimos sete dias, as mais novas primeiro",
  "Keeps the presence of a chat up to date. At most 500 chats": "Mantém a presença de uma conversa em dia. No máximo 500 conversas",
  "What changes is shown by `GET …/presence`; the Connection API also delivers it as the event `presence`. Up to 500 chats.":
    "O que muda aparece em `GET …/presence`; a API da conexão também o entrega como evento `presence`. Até 500 conversas.",
  "Rejects a call while it rings": "Rejeita uma chamada enquanto ela toca",
  "Only while the status of the call is `received`. The rejection itself is not delivered as an event.":
    "Só enquanto o status da chamada é `received`. A rejeição em si não é entregue como evento.",
};
