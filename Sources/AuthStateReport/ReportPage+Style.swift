extension ReportPage {
    /// The style sheet. Below 680 points the rows are a list; above, lanes. Printed, all details are open.
    static let style = """
        :root{color-scheme:light dark;--bg:#fff;--fg:#1a2330;--m:#56616f;--ln:#c3cbd5;--sf:#f5f7fa;--a:#2357a5;
        --g:#146a3f;--gb:#eaf6ef;--r:#b01c22;--rb:#fdefef;--y:#7a4d00;--yb:#fff6e0;--cs:75%;--cb:93%;--cf:23%;--ce:45%}
        @media screen and (prefers-color-scheme:dark){:root{--bg:#12161c;--fg:#e3e8ee;--m:#9ca7b5;--ln:#3d4755;
        --sf:#1a2029;--a:#85b3f7;--g:#71d19d;--gb:#12281d;--r:#ff9a94;--rb:#331819;--y:#ecc065;--yb:#2d2410;--cs:40%;
        --cb:19%;--cf:86%;--ce:58%}}
        *{box-sizing:border-box;margin:0}
        body{max-width:88rem;margin:auto;padding:1.5rem max(1rem,2vw);background:var(--bg);color:var(--fg);
        font:.94rem/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
        code,dl,.t,.chip,.st,small{font-family:ui-monospace,Menlo,Consolas,monospace}
        code,dl,.t,.st,small,h2,h3,.sub,footer,.who,.checks,summary,.axis{font-size:.81rem}
        h2,h3,.sub,footer,dt,small,.t,summary,.axis,.unseen{color:var(--m)}
        ol,ul{list-style:none;padding:0}
        h1{font-size:1.5rem}
        header>*{margin-bottom:.5rem}
        .arrow{--k:var(--a)}
        .note{--k:var(--m);--kb:var(--sf)}
        .good{--k:var(--g);--kb:var(--gb)}
        .bad{--k:var(--r);--kb:var(--rb)}
        .warn{--k:var(--y);--kb:var(--yb)}
        .res,.sum{border-left:4px solid var(--k);padding:.4rem .8rem}
        .res b,.tag{color:var(--k)}
        .sum{margin:1rem 0;padding:.9rem;background:var(--kb);break-inside:avoid}
        .msg{font-size:1.1rem;font-weight:600}
        .sum dl{margin:.7rem 0}
        .hint b{display:block}
        dd{margin-bottom:.3rem}
        .sr{position:absolute;clip-path:inset(50%)}
        .chip{display:inline-block;padding:0 .45em;border:1px solid hsl(var(--h) 45% var(--ce));border-left-width:5px;
        border-radius:3px;background:hsl(var(--h) var(--cs) var(--cb));color:hsl(var(--h) var(--cs) var(--cf))}
        .c0{--h:4}.c1{--h:30}.c2{--h:54}.c3{--h:105}.c4{--h:172}.c5{--h:212}.c6{--h:264}.c7{--h:318}
        .lanes{display:grid;grid-template-columns:1fr 1fr;gap:.5rem 1rem;margin:1.5rem 0 1rem;padding-bottom:.6rem;
        border-bottom:1px solid var(--ln)}
        small{display:block;font-weight:400}
        .lanes li,.who{font-weight:600}
        .axis{display:none}
        .seq{position:relative;z-index:0}
        .seq>li{position:relative;padding:0 0 1.3rem 1.1rem;break-inside:avoid}
        .seq>li::before{content:"";position:absolute;inset:0 auto 0 3px;border-left:1px solid var(--ln)}
        .t{margin-right:.7em}
        .t::before{content:"";position:absolute;left:0;top:.45rem;border:3.5px solid var(--m);border-radius:50%}
        .st{display:inline-block;padding:0 .55em;border:1px solid var(--k);border-radius:1em;background:var(--kb);
        color:var(--k)}
        .bad>.st{font-weight:700}
        .unseen{--k:var(--m)}
        .box{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin-top:.2rem;padding:.45rem .75rem;
        border:1px solid var(--k);border-radius:6px;background:var(--kb)}
        .bad>.box{border-width:2px}
        .bad>.box>*{flex:1 14rem}
        .checks{display:flex;flex-wrap:wrap;gap:0 .9em;color:var(--g)}
        .checks .no{color:var(--r);font-weight:700}
        summary{cursor:pointer;list-style:none;padding:.2rem 0}
        summary::-webkit-details-marker{display:none}
        summary>span::before{content:"▸ "}
        [open]>*>span::before{content:"▾ "}
        .m{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:.9rem 2rem;
        margin:.2rem 0 .3rem;padding:.7rem .9rem;border:1px solid var(--ln);border-radius:6px;background:var(--sf)}
        footer{margin-top:1rem;padding-top:.8rem;border-top:1px solid var(--ln)}
        @media(min-width:42.5rem){
        dl{display:grid;grid-template-columns:fit-content(42%) 1fr;gap:.25rem .9rem;margin-top:.3rem;
        align-items:baseline}
        dd{margin:0}
        .lanes,.seq>li{display:grid;grid-template-columns:5rem repeat(8,minmax(0,1fr));gap:0}
        .lanes{position:sticky;top:0;z-index:1;margin-bottom:0;padding:.6rem 0;background:var(--bg)}
        .lanes li{grid-column:span 2;text-align:center;padding:0 .4rem}
        .lanes .axis{display:block;grid-column:1;text-align:left;padding:0;font-weight:400}
        .seq{padding-top:.6rem}
        .seq::before,.seq::after{content:"";position:absolute;z-index:-1;
        inset:0 calc(var(--i)*(100% - 5rem)) 0 calc(5rem + var(--i)*(100% - 5rem));border:solid var(--ln);
        border-width:0 1px}
        .seq::before{--i:.125}.seq::after{--i:.375}
        .seq>li{padding:.35rem 0 1rem}
        .seq>li::before{left:4.5rem}
        .t{position:relative;grid-area:1/1;font-size:.75rem;line-height:1.7}
        .note>:is(.t,.who){margin-top:.5rem}
        .t::before{left:4.3rem;top:.4rem}
        .who{position:absolute;top:1.7rem;width:4.3rem;font-size:.65rem;line-height:1.2}
        .from-1{--f:3}.from-2{--f:5}.from-3{--f:7}.from-4{--f:9}
        .to-1{--t:3}.to-2{--t:5}.to-3{--t:7}.to-4{--t:9}
        .at-1{--l:3;--f:2;--t:5}.at-2{--l:5;--f:3;--t:7}.at-3{--l:7;--f:5;--t:9}.at-4{--l:9;--f:7;--t:10}
        .note.bad{--t:10}
        .what,.back,.box{grid-column:var(--f)/var(--t);position:relative}
        .what,.back{text-align:center;text-wrap:balance;padding:0 .4rem}
        .what{border-bottom:2px solid var(--k)}
        .what>*,summary>span{background:var(--bg)}
        .back{margin-top:.45rem}
        .back::before{content:"";position:absolute;inset:calc(50% - 1px) 0 auto;border-top:2px dashed var(--k)}
        .st{position:relative}
        .what::after,.back::after{content:"";position:absolute;bottom:-6px;border:5px solid #0000;
        forced-color-adjust:none}
        .back::after{bottom:calc(50% - 5px)}
        .right .what::after,.left .back::after{right:0;border-left:10px solid var(--k);border-right:0}
        .left .what::after,.right .back::after{left:0;border-right:10px solid var(--k);border-left:0}
        .lost::after{display:none}
        .unseen .what{border-bottom-style:dotted}
        .box{grid-row:1;justify-self:center;max-width:calc(100% - 1.5rem);margin:0}
        .at-1>.box{justify-self:start;min-width:67%}.at-4>.box{justify-self:end;min-width:67%}
        .bad>.box{justify-self:stretch;max-width:none;margin-left:.75rem}
        .note::after{content:"";grid-area:1/var(--l);position:relative;width:7px;height:7px;margin:-5px 0 0 -5px;
        border:2px solid var(--bg);border-radius:50%;background:var(--k)}
        details{grid-column:2/-1}
        summary{width:calc((max(var(--f),var(--t)) - min(var(--f),var(--t)))*12.5%);margin-left:calc((min(var(--f),
        var(--t)) - 2)*12.5%);text-align:center}
        }
        @media screen and (min-width:42.5rem){.who{clip-path:inset(50%)}}
        @media print{
        :root{color-scheme:light;font-size:80%}
        body{print-color-adjust:exact;padding:1px}
        .lanes{position:static}
        ::details-content{display:block;content-visibility:visible}
        }
        """
}
