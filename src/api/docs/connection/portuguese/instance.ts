// What the routes of the connection itself say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const instanceTexts: Catalogue = {
  "The connection of this key: state, pairing, health.": "A conexão desta chave: estado, pareamento, saúde.",
  Connection: "Conexão",
  "PNG as a data URL": "PNG como data URL",
  "0 to 100": "De 0 a 100",
  "Refusals with code 463 in new chats and in established ones": "Recusas 463 em conversas novas e em conversas já abertas",
  "0 to 1; null when nothing was sent": "De 0 a 1; null sem envios",
  "Only on cloud API connections": "Só em conexões de API de nuvem",
  "When the network was asked; at most once in ten minutes": "Quando a rede foi consultada; no máximo uma vez em dez minutos",
  "null while unknown": "null enquanto não se sabe",
  "Of a temporary ban: why and until when; null when there is none": "De um banimento temporário: por quê e até quando; null quando não há",
  "The network keeps the number out for a while": "A rede mantém o número fora por um tempo",
  "Why, in the network's numbers: 101 messages to too many strangers, 102 blocked by many, 103 too many groups, 104 one message too often, 106 broadcast lists; null when it does not say":
    "Por quê, nos números da rede: 101 mensagens a desconhecidos demais, 102 bloqueado por muitos, 103 grupos demais, 104 a mesma mensagem vezes demais, 106 listas de transmissão; null quando ela não diz",
  "When it ends; the number then connects by itself. null when the network does not say":
    "Quando termina; o número então se conecta sozinho. null quando a rede não diz",
  "What works on this connection, by name": "O que funciona nesta conexão, por nome",
  "The same, route by route": "O mesmo, rota por rota",
  "Of the body: what this kind of number does not take": "Do corpo: o que este tipo de número não aceita",
  "Every limit; the unit is in the name": "Todos os limites; a unidade está no nome",
  "The connection of this key": "A conexão desta chave",
  "The QR code to pair with, while the status is scan_qr": "O QR code para parear, enquanto o status é scan_qr",
  "Exists only while `status` is `scan_qr`. Never comes from the cache: each code is valid for a few seconds.":
    "Existe só enquanto `status` é `scan_qr`. Nunca vem do cache: cada código vale poucos segundos.",
  "A code to pair with instead of a QR code": "Um código para parear sem QR",
  "Connects the number": "Conecta o número",
  "Disconnects the number and keeps the session data": "Desconecta o número e guarda os dados da sessão",
  "Restarts the session": "Reinicia a sessão",
  "How the number is doing: restrictions, quota of new chats, deliveries and disconnections of the last 24 hours":
    "Como o número está: restrições, cota de novas conversas, entregas e quedas das últimas 24 horas",
  "What works on this connection, and every limit": "O que funciona nesta conexão, e todos os limites",
  "What this kind of connection offers, before you try: what it does not offer answers 501 `nao_suportado`.":
    "O que este tipo de conexão oferece, antes de tentar: o que não oferece responde 501 `nao_suportado`.",
};
