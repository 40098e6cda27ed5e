import type { Request } from "../../api/client.ts";
import type { Refused } from "../../api/refused.ts";
import { TextField } from "../../ui/forms/field.tsx";
import { CLOUD } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

type Credentials = NonNullable<Request<"POST /connections">["cloud_api"]>;
type Field = keyof Credentials;

/** Fields are named as in the API's validation errors. */
const NAMES = {
  phone_number_id: "cloud_api.phone_number_id",
  waba_id: "cloud_api.waba_id",
  access_token: "cloud_api.access_token",
  app_secret: "cloud_api.app_secret",
  pin: "cloud_api.pin",
} as const satisfies Record<Field, string>;

/** The field to highlight if Meta rejected the credentials at this step. */
const FIELD_OF_STEP: Readonly<Record<string, Field>> = {
  number: "access_token",
  in_use: "phone_number_id",
  register: "pin",
  subscribe: "waba_id",
  fields: "app_secret",
};

/** `number` is the connected number whose token is being changed, if any. */
export function CloudFields({
  refused,
  number = null,
}: {
  refused: Refused | null;
  number?: { phone_number_id: string; waba_id: string } | null;
}) {
  const texts = useTexts(CLOUD);
  const step = stepOf(refused);
  const wrong = step === null ? undefined : FIELD_OF_STEP[step];
  const about = (field: Field) => ({
    name: NAMES[field],
    label: texts.fields[field],
    hint: texts.hints[field],
    autoComplete: "off",
    ...(wrong === field && step !== null ? { error: texts.steps[step as keyof typeof texts.steps] } : {}),
  });
  const code = codeOf(refused);
  return (
    <>
      {number === null ? (
        <>
          <TextField {...about("phone_number_id")} required inputMode="numeric" pattern="\d{1,32}" title={texts.digits} />
          <TextField {...about("waba_id")} required inputMode="numeric" pattern="\d{1,32}" title={texts.digits} />
        </>
      ) : (
        (["phone_number_id", "waba_id"] as const).map((field) => <TextField key={field} {...about(field)} readOnly value={number[field]} />)
      )}
      <TextField {...about("access_token")} type="password" required maxLength={1_024} />
      <TextField {...about("app_secret")} type="password" required maxLength={128} />
      <TextField {...about("pin")} inputMode="numeric" pattern="\d{6}" title={texts.sixDigits} />
      {step !== null && (
        <p className="max-w-prose">
          {wrong === undefined && <>{texts.steps[step as keyof typeof texts.steps]} </>}
          {code !== null && texts.code(code)}
        </p>
      )}
    </>
  );
}

export function credentialsIn(textOf: (name: string) => string): Credentials {
  const pin = textOf(NAMES.pin).trim();
  return {
    phone_number_id: textOf(NAMES.phone_number_id).trim(),
    waba_id: textOf(NAMES.waba_id).trim(),
    access_token: textOf(NAMES.access_token).trim(),
    app_secret: textOf(NAMES.app_secret).trim(),
    ...(pin === "" ? {} : { pin }),
  };
}

/** The step at which Meta rejected the credentials, or null if Meta did not reject them. */
function stepOf(refused: Refused | null): string | null {
  if (refused?.code !== "cloud_credentials_invalid") return null;
  const step = detailsOf(refused)["step"];
  return typeof step === "string" ? step : null;
}

function codeOf(refused: Refused | null): number | null {
  const code = refused === null ? null : detailsOf(refused)["network_code"];
  return typeof code === "number" ? code : null;
}

function detailsOf({ details }: Refused): Readonly<Record<string, unknown>> {
  return details === null || Array.isArray(details) ? {} : (details as Readonly<Record<string, unknown>>);
}
