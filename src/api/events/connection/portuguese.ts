// The events of the Connection API in Portuguese, by their English texts.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const EVENTS_IN_PORTUGUESE: Catalogue = {
  "Id of the delivery, the same on every attempt and in the header `webhook-id`: deduplicate on it":
    "Id da entrega, o mesmo em cada tentativa e no cabeçalho `webhook-id`: descarte repetições por ele",
  "The event": "O evento",
  "When it happened, in UTC: sort by it": "Quando aconteceu, em UTC: ordene por ele",
  "Number of the connection": "Número da conexão",
  "Name of the connection": "Nome da conexão",
  "Its phone number, digits only; null while none is paired": "O número de telefone dela, só dígitos; null enquanto nenhum está pareado",
  "The connection it happened to": "A conexão em que aconteceu",
  "Id of the message; for own sends, the id the API returned": "Id da mensagem; nos envios próprios, o id que a API devolveu",
  "Id of the chat, as the API takes it for an answer: `<phone>@c.us`, or the id of a group (`…@g.us`) or channel (`…@newsletter`); of own status posts `status@broadcast`":
    "Id da conversa, como a API o aceita para responder: `<telefone>@c.us`, ou o id de um grupo (`…@g.us`) ou canal (`…@newsletter`); em status próprios, `status@broadcast`",
  "Phone number of the sender, in a group of the participant who wrote it; null when unknown":
    "Número de quem enviou, em um grupo o do participante que escreveu; null quando desconhecido",
  "Whether the chat is a group": "Se a conversa é um grupo",
  "Kind of the message. A kind that is newer than this list comes under the network's own name: tolerate it":
    "Tipo da mensagem. Um tipo mais novo que esta lista vem com o nome que a rede lhe dá: tolere-o",
  "Body, caption, or a description of the content": "Texto, legenda ou uma descrição do conteúdo",
  "Link to the file; needs no authentication and works for a limited time. Null while there is no file":
    "Link do arquivo; dispensa autenticação e funciona por tempo limitado. Null enquanto não há arquivo",
  "Media type of the file": "Tipo de mídia do arquivo",
  "The file of the message, or null": "O arquivo da mensagem, ou null",
  "Id of the chosen row of a list": "Id da linha escolhida de uma lista",
  "What was shown on it": "O que estava escrito nela",
  "Id of the pressed button": "Id do botão apertado",
  "Only for `list_response` and `button_response`: what was chosen": "Só para `list_response` e `button_response`: o que foi escolhido",
  "Id of the quoted message": "Id da mensagem citada",
  "Text of the quoted message": "Texto da mensagem citada",
  "The message this one answers, or null": "A mensagem a que esta responde, ou null",
  "Phone numbers of the people it mentions": "Números das pessoas mencionadas",
  "Unix seconds: when the message was sent": "Segundos Unix: quando a mensagem foi enviada",
  "The name the sender has given themselves": "O nome que quem enviou deu a si mesmo",
  "What happened": "O que aconteceu",
  "Phone number of the recipient; null in a group": "Número do destinatário; null em um grupo",
  "The `reference` of the request that sent it": "A `reference` da requisição que a enviou",
  "Where it was written": "Onde foi escrita",
  "It only moves forward": "Só anda para a frente",
  "Only in groups: who has received, read or played it": "Só em grupos: quem recebeu, leu ou reproduziu",
  "Only with status `failed`: why": "Só com o status `failed`: por quê",
  "Unix seconds: when it happened": "Segundos Unix: quando aconteceu",
  "What the connection is now": "Como a conexão está agora",
  "What it was before": "Como estava antes",
  Why: "Por quê",
  "Messages to people who have not written before are refused": "Mensagens a quem nunca escreveu são recusadas",
  "The network's own name of the measure": "O nome que a rede dá à medida",
  "When it ends, as far as the network has said": "Quando termina, se a rede informou",
  "When it was noticed": "Quando foi percebida",
  "What the network does not let the number do at present, or null": "O que a rede não deixa o número fazer no momento, ou null",
  "Phone number of the connection; null while none is paired": "Número da conexão; null enquanto nenhum está pareado",
  "Phone number of who did it; null when unknown": "Número de quem fez; null quando desconhecido",
  "Whether the number itself did it, through the API, the dashboard or the phone":
    "Se foi o próprio número, pela API, pelo painel ou pelo telefone",
  "The emoji; empty when the reaction was taken back": "O emoji; vazio quando a reação foi retirada",
  "The new text": "O texto novo",
  "Phone number of who wrote the message; null when unknown": "Número de quem escreveu a mensagem; null quando desconhecido",
  "Phone number of who deleted it, perhaps an admin of the group; null when unknown":
    "Número de quem apagou, talvez um administrador do grupo; null quando desconhecido",
  "Whether the number itself wrote the message": "Se foi o próprio número que escreveu a mensagem",
  "Id of the group": "Id do grupo",
  "What happened to the participants": "O que aconteceu com os participantes",
  "Phone number of the participant; null when unknown": "Número do participante; null quando desconhecido",
  "Whether it is the number itself": "Se é o próprio número",
  "Whom it is about": "De quem se trata",
  "How they came or why they went; null for `promote` and `demote`, and when unknown":
    "Como vieram ou por que saíram; null em `promote` e `demote`, e quando desconhecido",
  "The new name": "O nome novo",
  "The new description; null when it was removed": "A descrição nova; null quando foi retirada",
  "Whether only admins may write messages": "Se só administradores podem escrever mensagens",
  "Whether only admins may change name, description and picture": "Se só administradores podem mudar nome, descrição e foto",
  "Whether every member may add others": "Se qualquer membro pode adicionar outros",
  "Whether an admin has to let newcomers in": "Se um administrador precisa aprovar quem entra",
  "After how many seconds messages disappear; 0: never": "Depois de quantos segundos as mensagens somem; 0: nunca",
  "The picture was changed or removed": "A foto foi trocada ou retirada",
  "The invitation link was replaced": "O link de convite foi substituído",
  "Only what changed": "Só o que mudou",
  "Id of the call: what `/calls/reject` takes": "Id da chamada: o que `/calls/reject` recebe",
  "Phone number of the caller; null when unknown": "Número de quem chamou; null quando desconhecido",
  "Whether it is a video call": "Se é uma chamada de vídeo",
  "`received`: it rings; `accepted` and `rejected`: on another device of the number":
    "`received`: está tocando; `accepted` e `rejected`: em outro aparelho do número",
  "Phone number of who voted; null when unknown": "Número de quem votou; null quando desconhecido",
  "All options that are chosen now; empty when the vote was taken back":
    "Todas as opções escolhidas agora; vazio quando o voto foi retirado",
  "Phone number of the person; null when unknown": "Número da pessoa; null quando desconhecido",
  "`paused`: stopped typing or recording": "`paused`: parou de digitar ou de gravar",
  "Unix seconds: when the person was last online, if they show it":
    "Segundos Unix: quando a pessoa esteve online pela última vez, se ela mostra",
  "Id of the label": "Id da etiqueta",
  "Name of the label": "Nome da etiqueta",
  "Number of the colour, 0 to 19": "Número da cor, de 0 a 19",
  "The colour as the network's apps show it": "A cor como os aplicativos da rede a mostram",
  "Name of the label; null when unknown": "Nome da etiqueta; null quando desconhecido",
  "Phone number of the chat's other side; null in a group and when unknown":
    "Número do outro lado da conversa; null em um grupo e quando desconhecido",
  "A sentence for people": "Uma frase para pessoas",
  "Sent when a message arrived, in a group too (`is_group`).": "Enviado quando chega uma mensagem, também em um grupo (`is_group`).",
  "The `id` of the body.": "O `id` do corpo.",
  "Unix seconds: when this attempt was signed.": "Segundos Unix: quando esta tentativa foi assinada.",
  "One or more `v1,<base64>`, separated by spaces: HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). There are two during the 24 hours after the secret was rotated.":
    "Uma ou mais entradas `v1,<base64>`, separadas por espaços: HMAC-SHA256 de `<webhook-id>.<webhook-timestamp>.<body>` (Standard Webhooks). São duas nas 24 horas depois de trocar o segredo.",
  "Accepted. It has to come within 10 seconds; its body is ignored.": "Aceita. Deve vir em até 10 segundos; o corpo é ignorado.",
  "Everything else is a failed attempt: another status, a redirect, or no answer within 10 seconds. Attempts follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, with the same `webhook-id`. After 72 hours without an accepted delivery the webhook is disabled.":
    "Todo o resto é uma tentativa que falhou: outro status, um redirecionamento ou nenhuma resposta em 10 segundos. Há novas tentativas depois de 5 s, 5 min, 30 min, 2 h, 5 h, 10 h e 10 h, com o mesmo `webhook-id`. Depois de 72 horas sem entrega aceita, o webhook é desligado.",
  "Sent when a message left the number, through the dashboard, the API or the phone.":
    "Enviado quando uma mensagem sai do número, pelo painel, pela API ou pelo telefone.",
  "Sent when a sent message was delivered, read, played, or failed.":
    "Enviado quando uma mensagem enviada é entregue, lida, reproduzida ou falha.",
  "Sent when the connection connected, dropped, failed or needs a QR scan.":
    "Enviado quando a conexão conecta, cai, falha ou precisa da leitura de um QR.",
  "Sent when a reaction was added or removed.": "Enviado quando uma reação é posta ou retirada.",
  "Sent when a message was edited.": "Enviado quando uma mensagem é editada.",
  "Sent when a message was deleted for everyone.": "Enviado quando uma mensagem é apagada para todos.",
  "Sent when somebody joined, left, was promoted or demoted, perhaps the number itself.":
    "Enviado quando alguém entra, sai, é promovido ou rebaixado, talvez o próprio número.",
  "Sent when name, description, picture or settings of a group changed.":
    "Enviado quando nome, descrição, foto ou configurações de um grupo mudam.",
  "Sent when a call came in, or was answered or rejected on another device.":
    "Enviado quando uma chamada chega, ou é atendida ou rejeitada em outro aparelho.",
  "Sent when somebody voted in a poll that the number sent.": "Enviado quando alguém vota em uma enquete que o número enviou.",
  "Sent when somebody in a subscribed chat went online or offline, or is typing or recording; off by default.":
    "Enviado quando alguém em uma conversa inscrita fica online ou offline, digita ou grava; desligado por padrão.",
  "Sent when a label was created or edited.": "Enviado quando uma etiqueta é criada ou editada.",
  "Sent when a label was deleted.": "Enviado quando uma etiqueta é apagada.",
  "Sent when a label was added to a chat.": "Enviado quando uma etiqueta é posta em uma conversa.",
  "Sent when a label was removed from a chat.": "Enviado quando uma etiqueta é tirada de uma conversa.",
  "Sent when the owner has asked for a test in the dashboard.": "Enviado quando o dono pede um teste no painel.",
};
