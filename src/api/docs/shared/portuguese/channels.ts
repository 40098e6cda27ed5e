// What the routes of channels and status posts say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const channelsTexts: Catalogue = {
  "Channels: create, follow, publish.": "Canais: criar, seguir, publicar.",
  Channels: "Canais",
  "Status posts, which disappear after 24 hours.": "Publicações de status, que somem em 24 horas.",
  "The number of the message in the channel, for reactions and pagination": "O número da mensagem no canal, para reagir e paginar",
  "The known channels that the number follows or administers": "Os canais conhecidos que o número segue ou administra",
  "The known channels: created or followed here, or seen in history and events.":
    "Os canais conhecidos: criados ou seguidos por aqui, ou vistos no histórico e em eventos.",
  "Creates a channel": "Cria um canal",
  "One channel, by id or by invitation": "Um canal, pelo id ou pelo convite",
  "The id of the channel, or the code or link of the invitation": "O id do canal, ou o código ou o link do convite",
  "Changes the name, the description or the picture of a channel": "Muda o nome, a descrição ou a foto de um canal",
  "Deletes an own channel": "Apaga um canal próprio",
  "Follows a channel": "Segue um canal",
  "Unfollows a channel": "Deixa de seguir um canal",
  "Mutes a channel": "Silencia um canal",
  "Unmutes a channel": "Tira o silêncio de um canal",
  "The messages of a channel, with views and reactions, newest first":
    "As mensagens de um canal, com visualizações e reações, as mais novas primeiro",
  "The server_id of the message": "O server_id da mensagem",
  "Publishes a text in the channel": "Publica um texto no canal",
  "Publishes an image in the channel": "Publica uma imagem no canal",
  "Publishes a video in the channel": "Publica um vídeo no canal",
  "Reacts to a message of the channel, or removes the reaction": "Reage a uma mensagem do canal, ou retira a reação",
  "Publishes a text as status": "Publica um texto no status",
  "Without `recipients`: all saved contacts.": "Sem `recipients`: todos os contatos salvos.",
  "Who may see it; without the field, all saved contacts (up to 2,000)": "Quem pode ver; sem o campo, todos os contatos salvos (até 2.000)",
  "Publishes an image as status": "Publica uma imagem no status",
  "Publishes a video as status": "Publica um vídeo no status",
  "Publishes a voice message as status": "Publica uma mensagem de voz no status",
  "The status posts of contacts in the last 24 hours": "Os status dos contatos nas últimas 24 horas",
  "Deletes an own status post for everybody": "Apaga um status próprio para todos",
};
