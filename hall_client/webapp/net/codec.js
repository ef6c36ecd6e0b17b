// Messages of proto/paiju/wire/v1/hall.proto. The server hands out the descriptors it was built
// with (`wire.binpb`), so nothing here is generated and nothing can be out of step.

import {
  create,
  createFileRegistry,
  FileDescriptorSetSchema,
  fromBinary,
  toBinary,
} from "../vendor/protobuf.js";

export class Codec {
  constructor(descriptorSet) {
    const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
    this.client = registry.getMessage("paiju.v1.ClientFrame");
    this.server = registry.getMessage("paiju.v1.ServerFrame");
  }

  static async load(url) {
    const response = await fetch(url, { cache: "no-cache" });
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    return new Codec(new Uint8Array(await response.arrayBuffer()));
  }

  // commands: [{ id, op, body: { case, value } }]
  encode(commands) {
    return toBinary(this.client, create(this.client, { commands }));
  }

  updates(payload) {
    return fromBinary(this.server, payload).updates;
  }
}
