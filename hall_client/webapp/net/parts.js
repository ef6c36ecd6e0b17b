// Client parts of packages. The gateway, which has verified the package, says over the sealed
// channel which files a version has and their SHA-256; the bytes come from any web server, under an
// address made of that hash, and count only when they have it.

export class Parts {
  #known = new Map(); // "NAME VERSION" -> promise of path -> { url, integrity }

  constructor(client) {
    this.client = client;
  }

  // Where a file of the version is; null: it has none of that name. Rejects when nobody answers.
  async find(name, version, path) {
    const key = `${name} ${version}`;
    if (!this.#known.has(key)) {
      const asked = this.#ask(name, version);
      this.#known.set(key, asked);
      asked.catch(() => this.#known.delete(key));
    }
    return (await this.#known.get(key)).get(path) ?? null;
  }

  async #ask(name, version) {
    const { files } = await this.client.call("getPackage", { package: name, version });
    return new Map(files.map(({ path, sha256 }) => [path, {
      url: new URL(`p/${name}/${sha256}/${path}`, document.baseURI).href,
      integrity: `sha256-${base64(sha256)}`,
    }]));
  }
}

// A module whose source has the hash. The preload checks it, and what it has loaded is what the
// import gets: an import that follows a failed preload would ask again, and check nothing.
export function importVerified({ url, integrity }) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = url;
    link.integrity = integrity;
    link.onload = () => import(url).then(resolve, reject);
    link.onerror = () => reject(new Error(`${url} is not what was published`));
    document.head.append(link);
  });
}

export async function fetchVerified({ url, integrity }) {
  const answer = await fetch(url, { integrity });
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return answer;
}

function base64(hex) {
  const bytes = hex.match(/../g).map((pair) => parseInt(pair, 16));
  return btoa(String.fromCharCode(...bytes));
}
