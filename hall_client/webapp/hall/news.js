// Which games are new to this device, or have a new version: until their rooms were opened.

import { signal } from "@hall/ui";

const SEEN_KEY = "paiju.seen";

export class News {
  constructor() {
    this.marks = signal({}); // package -> "new" or "update"
    this.versions = {};
    try {
      this.seen = JSON.parse(localStorage.getItem(SEEN_KEY));
    } catch {
      this.seen = null; // somebody edited it
    }
  }

  // To a first visitor everything is new, so nothing is.
  look(rooms) {
    for (const { package: name, packageVersion } of rooms) {
      if (name && packageVersion) this.versions[name] = packageVersion;
    }
    if (!this.seen) this.#keep({ ...this.versions });
    const marks = {};
    for (const [name, version] of Object.entries(this.versions)) {
      if (!(name in this.seen)) marks[name] = "new";
      else if (this.seen[name] !== version) marks[name] = "update";
    }
    if (JSON.stringify(marks) !== JSON.stringify(this.marks.value)) this.marks.value = marks;
  }

  opened(name) {
    if (!(name in this.marks.value)) return;
    this.#keep({ ...this.seen, [name]: this.versions[name] });
    const { [name]: _, ...others } = this.marks.value;
    this.marks.value = others;
  }

  #keep(seen) {
    this.seen = seen;
    localStorage.setItem(SEEN_KEY, JSON.stringify(seen));
  }
}
