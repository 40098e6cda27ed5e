// The password is chosen through the mailed link, which proves the address.
import { Link } from "@tanstack/react-router";
import { signUp } from "../../api/auth.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import { TextField, textOf } from "../../ui/forms/field.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { EntryPage } from "./entry-page.tsx";
import { MailedLink } from "./mailed-link.tsx";
import { SIGN_IN } from "../../texts/catalogs.ts";

export function SignUp() {
  const texts = useTexts(SIGN_IN);
  return (
    <EntryPage title={texts.signUp}>
      <MailedLink about={texts.signUpText} send={(email, fields) => signUp(email, textOf(fields, "name").trim())}>
        <TextField label={texts.name} name="name" autoComplete="name" required characters={LIMITS.keyNameCharacters} />
      </MailedLink>
      <p className="border-t border-line pt-3">
        {texts.haveAccount}{" "}
        <Link to="/sign-in" className="underline underline-offset-2">
          {texts.signIn}
        </Link>
      </p>
    </EntryPage>
  );
}
