// What the routes of instances say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const instancesTexts: Catalogue = {
  "Connected numbers: making, pairing, connecting, watching, deleting them.":
    "Números conectados: criar, parear, conectar, acompanhar e excluir.",
  Instances: "Instâncias",
  "PNG as data URL": "PNG como data URL",
  "The text of the QR code": "O texto do QR code",
  "What works on this instance, by name": "O que funciona nesta instância, por nome",
  "The same, route by route": "O mesmo, rota por rota",
  "Of the body: what this kind of number does not take": "Do corpo: o que este tipo de número não aceita",
  "Every limit; the unit is in the name": "Todos os limites; a unidade está no nome",
  "0 to 100": "De 0 a 100",
  "Refusals 463 in new chats and in established ones": "Recusas 463 em conversas novas e em conversas já abertas",
  "0 to 1; null without sends": "De 0 a 1; null sem envios",
  "Only of the kind cloud_api": "Só do tipo cloud_api",
  "When the network was asked; at most once in ten minutes": "Quando a rede foi consultada; no máximo uma vez em dez minutos",
  "Only for callers with the scope `manage`": "Só para quem tem o escopo `manage`",
  "Makes an instance and, unless told otherwise, connects it": "Cria uma instância e, salvo pedido em contrário, a conecta",
  "Takes a webhook for this instance along in `webhook`. A number of Meta's Cloud API (`kind` `cloud_api`) comes with its credentials in `cloud_api`; they are tried before this is answered, and 400 `cloud_credentials_invalid` says in `details.step` where they failed: `in_use`, `number`, `register`, `subscribe`, `fields` or `callback`.":
    "Aceita um webhook para esta instância em `webhook`. Um número da Cloud API da Meta (`kind` `cloud_api`) vem com as credenciais em `cloud_api`; elas são testadas antes da resposta, e 400 `cloud_credentials_invalid` diz em `details.step` onde falharam: `in_use`, `number`, `register`, `subscribe`, `fields` ou `callback`.",
  "One of the proxies that an administrator has set up": "Um dos proxies que um administrador configurou",
  "The instances of the account and those shared with it, oldest first":
    "As instâncias da conta e as compartilhadas com ela, as mais antigas primeiro",
  "Part of the name or of the phone": "Parte do nome ou do telefone",
  "One instance": "Uma instância",
  "Changes name, settings, metadata or proxy": "Muda nome, configurações, metadados ou proxy",
  "`settings` and `settings.pacing` are added to what was set before; `metadata` is replaced whole. Another proxy reconnects the number. `cloud_api` gives a number of the Cloud API other credentials and connects it; refused ones change nothing.":
    "`settings` e `settings.pacing` somam-se ao que já estava definido; `metadata` é substituído por inteiro. Outro proxy reconecta o número. `cloud_api` dá outras credenciais a um número da Cloud API e o conecta; recusadas, nada muda.",
  "A number of the Cloud API is connected when this is answered, or 400 says which step Graph refused.":
    "Um número da Cloud API está conectado quando isto é respondido, ou 400 diz em que passo o Graph recusou.",
  "Logs the number out and forgets everything about the instance": "Encerra a sessão do número e esquece tudo sobre a instância",
  "Connects the number: with session data it resumes, without it a QR code follows":
    "Conecta o número: com dados de sessão ele retoma, sem eles vem um QR code",
  "Disconnects the number and keeps the session data": "Desconecta o número e guarda os dados da sessão",
  "Restarts the session, for an instance that is stuck or has failed": "Reinicia a sessão de uma instância que travou ou falhou",
  "Unlinks the number and forgets the session data": "Desvincula o número e esquece os dados da sessão",
  "The QR code to pair with, only while the status is scan_qr": "O QR code para parear, só enquanto o status é scan_qr",
  "Each code lives 20 to 60 seconds; the event `instance.qr` tells of every new one.":
    "Cada código vale de 20 a 60 segundos; o evento `instance.qr` avisa de cada novo.",
  "A code to pair with instead of a QR code": "Um código para parear em vez de um QR code",
  "A code of your own: 8 characters A-Z 1-9": "Um código próprio: 8 caracteres A-Z 1-9",
  "How the instance is connected": "Como a instância está conectada",
  "What works on this instance, and every limit": "O que funciona nesta instância, e todos os limites",
  "How the number is doing: restrictions, quota of new chats, the last 24 hours":
    "Como o número está: restrições, cota de novas conversas, as últimas 24 horas",
  "How far the phone has come with handing over its history": "Até onde o telefone já entregou o histórico",
  "Asks the phone for older messages, of one chat or of the last ten":
    "Pede ao telefone mensagens mais antigas, de uma conversa ou das dez últimas",
  "The phone must be switched on; it answers in its own time. When it has not answered within two minutes, the `state` of the history is `paused`; what it sends later is taken all the same. Each call reaches further back.":
    "O telefone precisa estar ligado; ele responde no seu tempo. Se não responder em dois minutos, o `state` do histórico passa a `paused`; o que enviar depois é aproveitado mesmo assim. Cada chamada alcança mais atrás.",
};
