// What the routes of chats, messages and groups say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const messagesTexts: Catalogue = {
  Chats: "Conversas",
  Groups: "Grupos",
  "Stored in all": "Guardadas ao todo",
  "Null when the phone is unknown": "Null quando o telefone é desconhecido",
  "Of the person that it is from, or to; null in a group when it is our own":
    "Da pessoa de quem vem, ou a quem vai; null em um grupo quando é nossa",
  "In a group: who wrote it": "Em um grupo: quem escreveu",
  "The content, with `downloadMedia`; null when it is not kept, or beyond 25 MB of content in one answer":
    "O conteúdo, com `downloadMedia`; null quando não está guardado, ou além de 25 MB de conteúdo em uma resposta",
  "The chat id of the person": "O id da conversa com a pessoa",
  "Messages of a chat, newest first": "Mensagens de uma conversa, as mais novas primeiro",
  "An unknown chat has no messages. `cursor` goes on where a page ended.":
    "Uma conversa desconhecida não tem mensagens. `cursor` continua onde a página terminou.",
  "Includes the content of files as Base64, 25 MB in all": "Inclui o conteúdo dos arquivos em Base64, até 25 MB ao todo",
  "The file of a message: its bytes, Base64 or a link": "O arquivo de uma mensagem: os bytes, Base64 ou um link",
  "A file that is no longer stored is fetched from the network again, as long as the network or the phone has it.":
    "Um arquivo que não está mais guardado é buscado de novo na rede, enquanto a rede ou o telefone o tiver.",
};
