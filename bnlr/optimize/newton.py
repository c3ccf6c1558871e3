import numpy as np
from math import inf, sqrt, isfinite
from bnlr.optimize.base import *
from bnlr.optimize.base import dot
from bnlr.optimize.inner import NewtonSystem
from bnlr.optimize.line_search import line_search

LOG=[]
def newton(objective, x0, *, tol, max_iter, on_iteration, eta_rule="ns", eta=0.5, cap=10.0, flatten=0.5, grow=3.0, verbose=False, conf=1.0, ray=None, Rm=True):
    x = x0
    f, g = objective.value_and_gradient(x)
    status=None; radius=None; longest=0.; k=0; dec=None
    norm0=None; last=None
    if ray is not None:
        gx=dot(g,x)
        if gx>ray*abs(f):
            st=line_search(objective.along(x,-x),f,-gx,flatten=.1)
            if verbose: print('ray',gx/f,st)
            if st is not None:
                x=x-st.s*x; f,g=objective.value_and_gradient(x); k+=1
    while True:
        gap = tol*max(1,abs(f))
        sysm = NewtonSystem(g, objective.hessian(x), objective.preconditioner(x))
        gl = sysm.gradient_length
        if norm0 is None: norm0=gl
        if radius is None: radius=cap*gl
        # forcing
        if eta_rule=="ns": e=eta
        elif eta_rule=="nss": e=min(eta, sqrt(gl/norm0)) 
        elif eta_rule=="nsd": e=min(eta, sqrt(max(last,0)/max(1,abs(f)))) if last is not None else eta
        elif eta_rule=="sup": e=min(0.5, sqrt(gl/norm0))
        elif eta_rule=="ew": e=0.5 if last is None else min(0.5,max(0.9*(gl/lastgl)**2, 0.9*laste**2 if 0.9*laste**2>.1 else 0))
        elif eta_rule=="fix": e=eta
        laste=e; lastgl=gl
        res = eta_rule in("sup","ew","fix")
        gains=[]; R=max(longest if Rm else 0.,sqrt(2*max(1,abs(f))))
        while not sysm.ended and not gl*R<=gap and sysm.n_products < 10*x.size+50:
            sysm.step(radius); gains.append(sysm.gain)
            j=sysm.n_products
            need = gap/R
            if sysm.residual*gl <= need: break
            if sysm.decrease>conf*gap:
                if res and sysm.residual<=e: break
                if not res and j*sysm.gain<=e*sysm.decrease: break
        last=sysm.decrease
        if sysm.decrease<=gap and sysm.ended!="boundary":
            dec=sysm.decrease; status=Status.CONVERGED
        if k>=max_iter and status is None: status=Status.ITERATION_LIMIT; break
        sl=dot(g,sysm.p)
        st=line_search(objective.along(x,sysm.p), f, sl, flatten=flatten)
        if verbose: print(k, f"f={f:.8g} gl={gl:.2e} rad={radius:.2e} len={sysm.length:.2e} q={sysm.decrease:.3e} nhv={sysm.n_products} {sysm.ended or 'trunc'} s={st and st.s:.3g} act={st and f-st.value:.3e} maxx={abs(x).max():.3g} ctrue")
        if st is None:
            if status is None: status=Status.PRECISION
            break
        length=st.s*sysm.length; longest=max(longest,length)
        if st.s<1: radius=max(length*1.5, 1e-300) if st.s<.5 else min(radius, 2*length) if sysm.ended=="boundary" else radius
        else: radius=max(radius, grow*length)
        x=x+st.s*sysm.p
        f,g=objective.value_and_gradient(x)
        k+=1
        on_iteration(State(k,f,x,g))
        if status: break
    return Result(x,f,g,status,k,dec,"")
