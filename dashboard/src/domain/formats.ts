// Cached formatters: creating one takes longer than using it a hundred times.

function once<O extends object, F>(make: (locale: string, options: O) => F): (locale: string, options: O) => F {
  const made = new Map<string, F>();
  return (locale, options) => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const known = made.get(key) ?? make(locale, options);
    made.set(key, known);
    return known;
  };
}

export const dateFormat = once((locale: string, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
export const agoFormat = once((locale: string, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options));
export const numberFormat = once((locale: string, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
