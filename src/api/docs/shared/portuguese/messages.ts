// What the routes of messages say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const messagesTexts: Catalogue = {
  "Sending every kind of message, and looking one up.": "Envios de todos os tipos, e a consulta de uma mensagem.",
  Messages: "Mensagens",
  "Sends a text and answers when the network confirms it": "Envia um texto e responde quando a rede o confirma",
  "Answers after the network has confirmed. With 424 the message may have been sent: ask `GET …/messages/{messageId}` with the `message_id` from the details of the error before you repeat it.":
    "Responde depois que a rede confirma. Com 424 a mensagem pode ter saído: consulte `GET …/messages/{messageId}` com o `message_id` dos detalhes do erro antes de repetir.",
  "The message to quote": "A mensagem a citar",
  "Mentions everybody in a group": "Menciona todos de um grupo",
  "Yours, returned in answers and events": "Seu, devolvido em respostas e eventos",
  "Shows that you are typing before it is sent, for this many milliseconds": "Mostra antes que se digita, por tantos milissegundos",
  "Chosen by you: 16 to 64 upper-case letters and digits. It stands for one content: the same content again gets the first answer, other content 409.":
    "Escolhido por você: de 16 a 64 letras maiúsculas e dígitos. Vale para um só conteúdo: o mesmo conteúdo de novo recebe a primeira resposta, outro conteúdo recebe 409.",
  "Sends an image (JPEG, PNG, WebP)": "Envia uma imagem (JPEG, PNG, WebP)",
  "Sends a video (MP4, 3GP; others are converted)": "Envia um vídeo (MP4, 3GP; outros são convertidos)",
  "Sends an audio file (MP3, M4A, AAC, OGG)": "Envia um áudio (MP3, M4A, AAC, OGG)",
  "Sends a voice message (OGG Opus; others are converted)": "Envia uma mensagem de voz (OGG Opus; outros são convertidos)",
  "Sends a document of any type": "Envia um documento de qualquer tipo",
  "Sends a sticker (WebP; PNG and JPEG are converted to 512×512)": "Envia uma figurinha (WebP; PNG e JPEG são convertidos para 512×512)",
  "Sends a location": "Envia uma localização",
  "Sends contacts": "Envia contatos",
  "Instead of the other fields": "Em vez dos outros campos",
  "Sends a poll": "Envia uma enquete",
  "Sends an event": "Envia um evento",
  "Sends an invitation to a group": "Envia um convite para um grupo",
  "Forwards a message": "Encaminha uma mensagem",
  "Sends a list (not available on session connections: use a poll)": "Envia uma lista (não existe em conexões por sessão: use uma enquete)",
  "Sends buttons (not available on session connections: use a poll)": "Envia botões (não existe em conexões por sessão: use uma enquete)",
  "Sends an approved template (not available on session connections)": "Envia um modelo aprovado (não existe em conexões por sessão)",
  "A message and its delivery status over time": "Uma mensagem, com o caminho que ela fez",
  "Does not count towards the limit of repeated reads and never comes from the cache: it can be polled until the status changes.":
    "Não conta no limite de consultas repetidas e nunca vem do cache: pode ser consultada até o status mudar.",
  "Own sends, by reference or status": "Envios próprios, por referência ou status",
  "Only what this number sent: answers whether an uncertain send went out.":
    "Só os envios deste número: responde se um envio incerto saiu.",
};
