// What the routes of chats say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const chatsTexts: Catalogue = {
  "Chats and their history: read, archive, pin, mute, react, edit, delete.":
    "Conversas e seu histórico: ler, arquivar, fixar, silenciar, reagir, editar, apagar.",
  Chats: "Conversas",
  "In groups": "Em grupos",
  "Subscribed chats": "Conversas inscritas",
  "Clears the chat": "Limpa a conversa",
  "Messages of a chat, newest first": "Mensagens de uma conversa, as mais novas primeiro",
  "A message of the chat and its delivery status over time": "Uma mensagem da conversa, com o caminho que ela fez",
  "Edits the text or the caption of an own message, up to 15 minutes later":
    "Edita o texto ou a legenda de uma mensagem própria, até 15 minutos depois",
  "Only own messages, up to 15 minutes after they were sent.": "Só mensagens próprias, até 15 minutos depois do envio.",
  "Deletes a message for everybody, or only for this number": "Apaga uma mensagem para todos, ou só para este número",
  "Reacts to a message": "Reage a uma mensagem",
  "Empty removes the reaction.": "Vazio retira a reação.",
  "Stars or unstars a message": "Marca ou desmarca uma mensagem como favorita",
  "Pins a message in the chat, for everybody": "Fixa uma mensagem na conversa, para todos",
  "Unpins a message": "Deixa de fixar uma mensagem",
  "The file of a message, as a link or in Base64": "O arquivo de uma mensagem, como link ou em base64",
  "The votes of a poll, option by option": "Os votos de uma enquete, opção por opção",
  "Chats, pinned ones first, then the most recent": "Conversas, fixadas primeiro, depois as mais recentes",
  "One chat": "Uma conversa",
  "Deletes the chat": "Apaga a conversa",
  "The picture of the chat, copied to a link of ours": "A foto da conversa, copiada para um link nosso",
  "Marks every message as read and resets the unread counter": "Marca todas as mensagens como lidas e zera o contador",
  "Marks the chat as unread": "Marca a conversa como não lida",
  "Archives the chat": "Arquiva a conversa",
  "Takes the chat out of the archive": "Tira a conversa do arquivo",
  "Pins the chat to the top; at most three at a time": "Fixa a conversa no topo; no máximo três ao mesmo tempo",
  "Unpins the chat": "Desafixa a conversa",
  "Mutes the chat for a while, or for ever": "Silencia a conversa por um tempo, ou para sempre",
  "Without `duration_seconds`: for ever.": "Sem `duration_seconds`: para sempre.",
  "Without it, for ever": "Sem ele, para sempre",
  "Unmutes the chat": "Tira o silêncio da conversa",
  "A number of the Cloud API can only show that it is typing, to somebody who has written in the last 24 hours. That marks the chat as read, and ends after 25 seconds or with the next message.":
    "Um número da Cloud API só consegue mostrar que está digitando, e a quem escreveu nas últimas 24 horas. Isso marca a conversa como lida e termina após 25 segundos ou com a próxima mensagem.",
  "Shows the other person that you are typing or recording, or have stopped":
    "Mostra à outra pessoa que se está digitando ou gravando, ou que parou",
  "After this time it shows that you have stopped; without it, only when asked":
    "Depois disso aparece que parou; sem ele, só quando se pede",
  "Turns disappearing messages of the chat on or off": "Liga ou desliga as mensagens temporárias da conversa",
};
