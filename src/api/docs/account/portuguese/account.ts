// What the routes of the account and of its keys say, in Portuguese.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const accountTexts: Catalogue = {
  "The account itself and its keys.": "A própria conta e suas chaves.",
  Account: "Conta",
  "Whether it is paid": "Se está paga",
  "The name of the key": "O nome da chave",
  "The key of this call, if it has one": "A chave desta chamada, se houver uma",
  "Shown this once; null when a first answer is replayed": "Mostrado só desta vez; null quando uma primeira resposta é repetida",
  "The first characters, for telling keys apart": "Os primeiros caracteres, para distinguir as chaves",
  "Its owner": "A quem pertence",
  "The address of the account, as a confirmation": "O endereço da conta, como confirmação",
  "Required of an account that has one": "Obrigatória para a conta que tem uma",
  "Deletes the account with everything it holds, at once and for ever": "Exclui a conta com tudo o que ela guarda, na hora e para sempre",
  "From the answer on no key and no token works, the numbers are logged out, webhooks get nothing more and links to files answer 404. Messages, contacts and files are removed after that, without a way back: export first what you want to keep. Asks for the password; where another identity provider signs in, for a token of a sign-in no older than five minutes. The last active administrator stays: make another one first.":
    "A partir da resposta nenhuma chave ou token funciona, os números são desconectados, os webhooks não recebem mais nada e os links de arquivos respondem 404. Mensagens, contatos e arquivos são removidos em seguida, sem volta: exporte antes o que quiser guardar. Pede a senha; onde outro provedor de identidade faz o login, um token de um login de no máximo cinco minutos. O último administrador ativo permanece: nomeie outro antes.",
  "Of the other account": "Da outra conta",
  "By this account; otherwise to it": "Por esta conta; senão, para ela",
  "Instances shared with others, and by others": "Instâncias compartilhadas com outros, e por outros",
  "The account's own; each has an export of its own": "As da própria conta; cada uma tem sua exportação",
  "What the record is": "O que é o registro",
  "The record, without secrets; a message as in a list of messages. Files are links that need no key":
    "O registro, sem segredos; uma mensagem como na lista de mensagens. Arquivos são links que não precisam de chave",
  "The account with its keys, webhooks and shares, without secrets": "A conta com suas chaves, webhooks e compartilhamentos, sem segredos",
  "What is stored of each instance is in the export of that instance.":
    "O que está guardado de cada instância está na exportação dessa instância.",
  "Everything stored of an instance: settings, contacts, groups, chats, messages, and links to files":
    "Tudo o que está guardado de uma instância: configurações, contatos, grupos, conversas, mensagens e links de arquivos",
  "In pages, of up to 500 records or some 2 MB: pass `next_cursor` as `cursor` until it is null. What is stored before the first page is in the export once. Only for the owner of the instance.":
    "Em páginas de até 500 registros ou cerca de 2 MB: passe `next_cursor` em `cursor` até ele ser null. O que estava guardado antes da primeira página aparece uma vez. Só para o dono da instância.",
  "The account of this key or token": "A conta desta chave ou deste token",
  "Makes a key; its value is shown this once": "Cria uma chave; o valor é mostrado só desta vez",
  "Only with a bearer token: a key makes no keys. An account has at most 50; expired ones make room.":
    "Só com um token de acesso: uma chave não cria chaves. Uma conta tem no máximo 50; as vencidas dão lugar.",
  "A key that is restricted to some instances sees those that reach no further.":
    "Uma chave restrita a algumas instâncias vê as que não vão além delas.",
  "Absent: everything that the user may do, but for administration: `admin` has to be named":
    "Ausente: tudo o que o usuário pode fazer, menos administrar: `admin` precisa ser indicado",
  "Absent: all instances of the account": "Ausente: todas as instâncias da conta",
  "Absent: it does not expire": "Ausente: não expira",
  "The account's keys, newest first": "As chaves da conta, as mais novas primeiro",
  "Removes a key: it stops working at once and for ever": "Remove uma chave: ela deixa de valer na hora e para sempre",
  "A key may always remove itself.": "Uma chave sempre pode remover a si mesma.",
};
