// A new account: the password is chosen by the mailed link, which proves the address.
import { Link } from "@tanstack/react-router";
import { signUp } from "../../api/auth.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { TextField, textOf } from "../../ui/forms/field.tsx";
import { useWords } from "../../words/words.ts";
import { EntryPage } from "./entry-page.tsx";
import { MailedLink } from "./mailed-link.tsx";
import { SIGN_IN } from "../../words/areas.ts";

export function SignUp() {
  const words = useWords(SIGN_IN);
  return (
    <EntryPage title={words.signUp}>
      <MailedLink about={words.signUpText} send={(email, fields) => signUp(email, textOf(fields, "name").trim())}>
        <TextField label={words.name} name="name" autoComplete="name" required characters={LIMITS.keyNameCharacters} />
      </MailedLink>
      <p className="border-t border-line pt-3">
        {words.haveAccount}{" "}
        <Link to="/sign-in" className="underline underline-offset-2">
          {words.signIn}
        </Link>
      </p>
    </EntryPage>
  );
}
