// Instances and bridges of the whole deployment, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const fleetTexts: Catalogue = {
  "The troubles and alarms of all bridges together": "Os problemas e alarmes de todos os bridges juntos",
  "Gives a build of the bridge a share of the sessions": "Dá a um build do bridge uma parte das sessões",
  "Sessions move to bridges of this build until it has the share, a few at a time; the same ones stay with it when the share grows. All others go to bridges of other builds, or of releases that say no build. `percent` 0 without instances takes it back: within a minute it has none, as far as the others have room. Its share is taken back by itself when its sessions have a trouble that the others do not have. It may be set before a bridge runs the build.":
    "As sessões mudam para bridges deste build até ele ter a sua parte, aos poucos; as mesmas ficam com ele quando a parte cresce. Todas as outras vão para bridges de outros builds, ou de versões que não dizem o build. `percent` 0 sem instâncias o recolhe: em um minuto ele não tem nenhuma, até onde os outros têm lugar. A parte é recolhida sozinha quando as sessões dele têm um problema que as outras não têm. Pode ser definida antes de um bridge rodar o build.",
  "Ends the shares: sessions go to bridges of any build": "Encerra as partes: as sessões vão para bridges de qualquer build",
  "What it runs; null for one of an earlier release": "O que ele roda; null para um de versão anterior",
  "Its version, and that of the library that speaks to the network": "Sua versão, e a da biblioteca que fala com a rede",
  "`close`, `ack`, `iq`, `unread`, `stanza`, `unhandled`, `file`, `deaf`, `app_state`; of alarms also `away`":
    "`close`, `ack`, `iq`, `unread`, `stanza`, `unhandled`, `file`, `deaf`, `app_state`; em alarmes também `away`",
  "The network's code, or the word that tells troubles of one kind apart":
    "O código da rede, ou a palavra que distingue problemas de um mesmo tipo",
  "As the bridges say it": "Como os bridges o dizem",
  "Of all sessions; 0 takes the build back": "De todas as sessões; 0 recolhe o build",
  "Instances that belong to the build whatever the share is": "Instâncias que ficam com o build, qualquer que seja a parte",
  "Sessions that bridges were given": "Sessões dadas a bridges",
  "Linked sessions that have had no line for five minutes": "Sessões pareadas sem linha há cinco minutos",
  "Since the processes of today's bridges began": "Desde que os processos dos bridges atuais começaram",
  "Sessions that had it in the last ten minutes": "Sessões que o tiveram nos últimos dez minutos",
  "What went wrong on the network": "O que deu errado na rede",
  "The most at once": "O máximo de uma vez",
  "The trouble for which its share was taken back by itself": "O problema pelo qual a parte foi recolhida sozinha",
  "The build that has a share of its own; null: none has": "O build que tem uma parte própria; null: nenhum tem",
  "The session bridges, with their load": "Os bridges de sessões, com sua carga",
  "What is set of the client version": "O que está definido da versão de cliente",
  "`GET /admin/bridges` shows what each bridge announces.": "`GET /admin/bridges` mostra o que cada bridge anuncia.",
  "Sets which client version all bridges announce to the network": "Define qual versão de cliente todos os bridges anunciam à rede",
  "For the day on which the network refuses the version of the gateway: the bridges are told at once, and the numbers that wait for another version (`waiting_for_update`) come back by themselves. A field that is left out is no longer set; then what the bridge's own settings say holds.":
    "Para o dia em que a rede recusa a versão do gateway: os bridges ficam sabendo na hora, e os números que esperam outra versão (`waiting_for_update`) voltam sozinhos. Um campo omitido deixa de estar definido; vale então o que dizem as configurações do próprio bridge.",
  "All bridges announce this version and no other; null: each finds its own":
    "Todos os bridges anunciam esta versão e nenhuma outra; null: cada um encontra a sua",
  "Look-ups take no newer version; null: any": "As consultas não aceitam versão mais nova; null: qualquer uma",
  "`set` by an administrator or its own setting, of its `library`, or as `served` by the network's web client":
    "Definida por um administrador ou pela configuração dele (`set`), da biblioteca dele (`library`), ou a que o cliente web da rede serve (`served`)",
  "The newest version that it has looked up, also when it announces another one; null when there is none":
    "A versão mais nova que ele consultou, também quando anuncia outra; null quando não há",
  "The client version that its sessions announce; null for one of an earlier release":
    "A versão de cliente que as sessões dele anunciam; null num de versão anterior",
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
