// Instances and bridges of the whole deployment, in Portuguese.
import type { Catalogue } from "../../../http/openapi/translate.ts";

export const fleetTexts: Catalogue = {
  "The session bridges, with their load": "Os bridges de sessões, com sua carga",
  "Moves all sessions off a bridge, which then ends": "Tira todas as sessões de um bridge, que então termina",
  "Answers at once. The sessions leave a few at a time, each as soon as another bridge has room for it, without an interruption of more than moments; then the process of the bridge is told to end. It takes sessions again when it is started again. Without room for all of them elsewhere: 409 `bridge_full`, unless `force` is set; then those without room are disconnected until there is some.":
    "Responde na hora. As sessões saem aos poucos, cada uma assim que outro bridge tem lugar para ela, com interrupção de instantes; depois o processo do bridge é avisado para terminar. Ele volta a receber sessões quando é iniciado de novo. Sem lugar para todas em outros: 409 `bridge_full`, a menos que `force` esteja ligado; então as que não têm lugar ficam desconectadas até haver.",
  "Also when the other bridges have no room for all its sessions":
    "Também quando os outros bridges não têm lugar para todas as suas sessões",
  "Where it runs, as it says itself; null when it does not": "Onde roda, segundo ele mesmo; null quando não diz",
  "`local`: the test network": "`local`: a rede de teste",
  "Sessions that it was given": "Sessões que recebeu",
  "Sessions that it takes at most": "Máximo de sessões que recebe",
  "Its memory, in MB": "Sua memória, em MB",
  "Share of one core, over the last seconds": "Fração de um núcleo, nos últimos segundos",
  "By its own clock; null for one of an earlier release": "Pelo relógio dele; null para um de versão anterior",
  "It takes no sessions, and gives away those that it has": "Não recebe sessões e entrega as que tem",
  "False for the moments until it dials again, or counts as gone": "False nos instantes até reconectar ou ser dado como encerrado",
  "The instances of all users, with owner and bridge, oldest first":
    "As instâncias de todos os usuários, com dono e bridge, as mais antigas primeiro",
  "Status, phone and bridge are those that each instance last reported: they may be a moment late.":
    "Status, telefone e bridge são os que cada instância informou por último: podem estar um instante atrasados.",
  "Part of the name, of the phone or of the owner's e-mail address": "Parte do nome, do telefone ou do e-mail do dono",
  "Moves a connected instance to another session bridge": "Move uma instância conectada para outro bridge de sessões",
  "To the bridge that is named, or to the least loaded other one. The old bridge first ends the sends that are under way; sends that come meanwhile wait. Nothing is lost or sent twice, and nobody pairs again.":
    "Para o bridge indicado, ou para o menos carregado dos outros. O bridge antigo antes termina os envios em andamento; os que chegam nesse meio-tempo esperam. Nada se perde nem é enviado duas vezes, e ninguém pareia de novo.",
  "Null until it has been written by this release": "Null até ser gravado por esta versão",
  "The bridge that has its session; null while it has none": "O bridge que tem sua sessão; null enquanto não há sessão",
  "Memory of that bridge, in MB; all its sessions share it": "Memória desse bridge, em MB; todas as suas sessões a dividem",
};
