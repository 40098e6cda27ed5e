// The routes of proxies in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const proxyTexts: Catalogue = {
  "All proxies, oldest first": "Todos os proxies, os mais antigos primeiro",
  "Adds a proxy": "Acrescenta um proxy",
  "It must be at a public address. A bridge checks it within a minute, and every minute from then on. Name and password go together.":
    "Deve estar em um endereço público. Uma bridge o verifica em até um minuto, e a cada minuto daí em diante. Nome e senha andam juntos.",
  "How the proxies are doing, and which instances the dead ones carry": "Como os proxies estão, e que instâncias estão nos que caíram",
  "Only proxies of this status": "Só proxies com este status",
  "One proxy, with the instances on it": "Um proxy, com as instâncias que estão nele",
  "Changes a proxy": "Muda um proxy",
  "With another address or other credentials the instances on it reconnect.":
    "Com outro endereço ou outras credenciais, as instâncias que estão nele reconectam.",
  "Removes a proxy that carries no instance": "Remove um proxy sem instâncias",
  "With `reassign=true` the instances on it move first to healthy proxies that have room, of the same country before others: all, or none and 409 `proxy_in_use`.":
    "Com `reassign=true` as instâncias que estão nele vão antes para proxies saudáveis com lugar, os do mesmo país primeiro: todas, ou nenhuma e 409 `proxy_in_use`.",
  "Moves the instances on it first": "Move antes as instâncias que estão nele",
  "Has a bridge check a proxy now": "Faz um bridge verificar um proxy agora",
  "The check counts like those of every minute. 503 when no bridge has answered; that says nothing about the proxy.":
    "A verificação conta como as de cada minuto. 503 quando nenhum bridge respondeu; isso não diz nada sobre o proxy.",
  "Gives a proxy to instances": "Dá um proxy a instâncias",
  "All of them or none: 409 `proxy_full` says how many it may carry and carries. They reconnect through it, also those that another proxy had stopped; nothing is paired again.":
    "Todas ou nenhuma: 409 `proxy_full` diz quantas ele pode ter e quantas tem. Elas reconectam por ele, também as que outro proxy tinha parado; nada é pareado de novo.",
  "How many instances it carries": "Quantas instâncias estão nele",
  "`down` after 3 failed checks in a row; `unknown` before the first":
    "`down` depois de 3 verificações seguidas que falharam; `unknown` antes da primeira",
  "Of the last handshake with the network through it": "Da última conexão com a rede através dele",
  "The address that the network sees": "O endereço que a rede vê",
  "Where that address is": "Onde fica esse endereço",
  "0 to 1, of the checks of the last hour": "De 0 a 1, das verificações da última hora",
  "Why the last check failed": "Por que a última verificação falhou",
  "Since when it counts as down; null while it does not": "Desde quando conta como fora do ar; null enquanto não conta",
  "Of a proxy that is down: the instances on it, as the assignment to another one takes them":
    "De um proxy fora do ar: as instâncias que estão nele, como a atribuição a outro as recebe",
  "As last written down; null before the first time": "Como anotado da última vez; null antes da primeira",
  "The instances that it carries, oldest first": "As instâncias que estão nele, as mais antigas primeiro",
  "A name or an address that is public": "Um nome ou endereço público",
  "Stored encrypted, and never shown again": "Guardada cifrada, e nunca mais mostrada",
  "Where it is: two letters of ISO 3166": "Onde fica: duas letras da ISO 3166",
  "How many instances it may carry": "Quantas instâncias pode ter",
  "false: no further instances get it; those that have it keep it": "false: nenhuma outra instância o recebe; as que o têm ficam com ele",
  "Instances of any account": "Instâncias de qualquer conta",
};
