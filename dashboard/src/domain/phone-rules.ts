// Number formats for all countries. This code and its table are large, so only the phone field loads them.
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  type MetadataJson,
  parsePhoneNumberFromString,
} from "libphonenumber-js/core";

export type Country = { country: string; code: string; name: string };

export type PhoneRules = {
  countries: (language: string) => readonly Country[];
  /** The country of a number with a country code, such as `+351 …`. Null if the code is missing or unknown. */
  countryOf: (text: string) => string | null;
  /** The digits, including the country code, of a number that is written as is usual in this country. */
  digitsIn: (text: string, country: string) => string | null;
};

const FIRST = "BR";

export function phoneRules(metadata: MetadataJson): PhoneRules {
  return {
    countries(language) {
      const names = new Intl.DisplayNames([language], { type: "region" });
      return getCountries(metadata)
        .map((country) => ({ country, code: getCountryCallingCode(country, metadata), name: names.of(country) ?? country }))
        .toSorted((a, b) => Number(b.country === FIRST) - Number(a.country === FIRST) || a.name.localeCompare(b.name, language));
    },
    countryOf(text) {
      const international = text.trim().replace(/^00/, "+");
      return international.startsWith("+") ? (parsePhoneNumberFromString(international, metadata)?.country ?? null) : null;
    },
    digitsIn(text, country) {
      const found = parsePhoneNumberFromString(text, country as CountryCode, metadata);
      return found?.isPossible() === true ? found.number.slice(1) : null;
    },
  };
}
