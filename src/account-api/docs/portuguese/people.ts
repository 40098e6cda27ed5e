// Texts about people, labels and the number's own profile in Portuguese, by the English ones.
import type { Catalogue } from "../../../http/openapi/translate.ts";

export const peopleTexts: Catalogue = {
  "The profile of the number itself.": "O perfil do próprio número.",
  Profile: "Perfil",
  "Who sees what of the number, and who may reach it": "Quem vê o que do número, e quem pode contatá-lo",
  "Changes privacy settings": "Muda configurações de privacidade",
  "Absent settings stay as they are. When the network refuses one, those before it in the list of fields are changed.":
    "Configurações ausentes ficam como estão. Se a rede recusar uma, as anteriores na lista de campos já terão mudado.",
};
