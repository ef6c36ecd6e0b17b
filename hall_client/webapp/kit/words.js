// What the games call things: tables of `words.json`, each key with its (en, zh) words.

const COLUMN = { en: 0, zh: 1 };

export class Words {
  constructor(tables, locale) {
    this.tables = tables; // facts, columns, roles, verbs, values, events, silent, seats_in
    this.locale = locale;
  }

  // The word for a key; what nobody has named is shown as the rules write it.
  of(table, key) {
    const found = this.tables[table]?.[key];
    return found ? found[COLUMN[this.locale]] : key.replaceAll("_", " ").replaceAll(".", " ");
  }

  has(table, key) {
    return key in (this.tables[table] ?? {});
  }

  silent(key) {
    return this.tables.silent.includes(key);
  }

  namesSeats(key) {
    return this.tables.seats_in.includes(key);
  }

  // A sentence of an event with {name} and other places filled in.
  sentence(kind, values) {
    const pattern = this.tables.events[kind]?.[COLUMN[this.locale]];
    return pattern?.replace(/\{(\w+)\}/g, (_, name) => values(name));
  }
}
