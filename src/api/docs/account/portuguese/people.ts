// Texts about people, labels and the number's own profile in Portuguese, by the English ones.
import type { Catalogue } from "#root/src/http/openapi/translate.ts";

export const peopleTexts: Catalogue = {
  "The phone number behind a LID": "O número de telefone por trás de um LID",
  "The network tells phone numbers along with messages, groups and contacts; it cannot be asked for one: 404 until then.":
    "A rede informa números de telefone junto com mensagens, grupos e contatos; não dá para perguntar por um: 404 até lá.",
  "The LID of a phone number": "O LID de um número de telefone",
  "`phone` is answered as the network spells it. A number without an account is answered 404.":
    "`phone` vem como a rede o escreve. Um número sem conta recebe 404.",
  "Adds a label to a message": "Adiciona uma etiqueta a uma mensagem",
  "Removes a label from a message": "Remove uma etiqueta de uma mensagem",
  "Who sees what of the number, and who may reach it": "Quem vê o que do número, e quem pode contatá-lo",
  "Changes privacy settings": "Muda configurações de privacidade",
  "Absent settings stay as they are. When the network refuses one, those before it in the list of fields are changed.":
    "Configurações ausentes ficam como estão. Se a rede recusar uma, as anteriores na lista de campos já terão mudado.",
};
