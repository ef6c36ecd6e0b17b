import asyncio, sys, tempfile, time, gc, cProfile, pstats
sys.path.insert(0,'.')
from tests.perf.hosting import *
from paiju.service.process import tune_gc
from paiju.service import logs
logs.configure("bench", level="ERROR")
async def main(prof):
    with tempfile.TemporaryDirectory() as d:
        p=Playing(f"sqlite:///{d}/j.sqlite3",tables=100)
        await p.sit()
        tune_gc()
        for _ in range(60): await p.round(8,Spent())
        for k in range(3):
            a=[]; b=[]
            for _ in range(400):
                s=Spent(); await p.round(8,s)
                if s.actions==8 and not s.hands: x,y=s.us(); a.append(x); b.append(y)
            a.sort(); b.sort(); q=lambda l:[round(l[int(len(l)*f)],1) for f in (0.02,.1,.25,.5)]
            print(q(a),q(b))
        if prof:
            pr=cProfile.Profile(time.thread_time); s=Spent()
            h=p.rig.host.handle
            import game_server.tables.outgoing as o
            def handle(l,c):
                pr.enable()
                try: h(l,c)
                finally: pr.disable()
            p.rig.host.handle=handle
            oc=p.rig.host.out._close
            def close():
                pr.enable()
                try: oc()
                finally: pr.disable()
            p.rig.host.out._close=close
            for _ in range(300): await p.round(8,s)
            st=pstats.Stats(pr); st.sort_stats('tottime').print_stats(45)
            print(s.actions)
        await p.close()
import uvloop
uvloop.run(main(len(sys.argv)>1))
