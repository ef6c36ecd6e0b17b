"""What the programs of the hall share.

Every package of the hall imports this one first, before anything imports gRPC.
"""

import os

# A child is started by fork, also beside gRPC's threads: by Ray (it sets signals between fork and
# exec), by uvloop, by whoever passes a `preexec_fn`. gRPC's handlers around fork would then stop
# threads in which calls are under way, and crash now and then. All our children exec at once, so
# nobody needs the handlers. It is read when gRPC starts; a program that embeds our client and
# forks on without exec sets the variable itself.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
