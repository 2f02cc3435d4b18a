extension WebPage {
    /// The style sheet of every page. It is designed for phones first and adapts to wider screens. The colours follow
    /// the light or dark mode of the system.
    ///
    /// Text has a contrast of at least 4.5 to 1, and borders of fields of at least 3 to 1. Touch targets are 44 pixels
    /// high.
    ///
    /// Source: WCAG 2.2, success criteria 1.4.3, 1.4.11, 2.4.7 and 2.5.5.
    package static let style: StaticString = """
        :root{color-scheme:light dark;--ground:#f4f5f8;--card:#fff;--well:#fff;--text:#16181d;--quiet:#565d6b;--line:#dfe2e8;\
        --edge:#7d8491;--act:#2f4bbf;--act-2:#6a3fc4;--on-act:#fff;--tint:#eef1fd;--harm:#b3261e;--harm-tint:#fdf0ef;--good:#156a30;\
        --good-tint:#edf7f0;--focus:#16181d;--shade:0 1px 2px rgb(22 24 29/.05),0 6px 24px rgb(22 24 29/.06)}
        @media (prefers-color-scheme:dark){:root{--ground:#0f1115;--card:#181b21;--well:#101216;--text:#e9ebf0;--quiet:#a6adba;\
        --line:#2b303a;--edge:#7a8291;--act:#a9b8ff;--act-2:#c9a8ff;--on-act:#10142c;--tint:#20263f;--harm:#ffb4ab;--harm-tint:#2f1c1b;\
        --good:#8ddba3;--good-tint:#17281d;--focus:#fff;--shade:none}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%}
        body{margin:0;min-height:100vh;font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
        background:var(--ground);color:var(--text)}
        main{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 4rem}
        main.wide{max-width:72rem}
        body.alone{display:flex;flex-direction:column}
        body.alone main{width:100%;max-width:26rem;margin:auto;padding:2rem 1rem}
        h1{font-size:1.75rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 1.25rem;overflow-wrap:anywhere;text-wrap:balance}
        h2{font-size:1.125rem;line-height:1.3;margin:0 0 .75rem}
        h3{font-size:1rem;line-height:1.4;margin:0;overflow-wrap:anywhere}
        p{margin:0 0 1rem}
        a{color:var(--act);text-underline-offset:.15em}
        code{font:.9375em/1.4 ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;overflow-wrap:break-word}
        :focus-visible{outline:3px solid var(--focus);outline-offset:2px}
        .quiet{color:var(--quiet);font-size:.9375rem}
        .hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .mark{display:inline-flex;align-items:center;justify-content:center;flex:none;width:2rem;height:2rem;border-radius:.5625rem;\
        font-weight:700;background:linear-gradient(135deg,var(--act),var(--act-2));color:var(--on-act)}
        .brand{text-align:center;margin:0 0 1.5rem}
        .brand .mark{width:3.5rem;height:3.5rem;border-radius:1rem;font-size:1.75rem}
        .brand p{margin:.75rem 0 0;font-weight:600;overflow-wrap:anywhere}
        .brand h1{margin:1rem 0 0;font-size:1.625rem}
        .brand .quiet{font-weight:400;margin:.375rem 0 0}
        .alone .card{padding:1.5rem 1.25rem}
        .alone .card h1{font-size:1.375rem;margin:0 0 .75rem}
        .foot{text-align:center;color:var(--quiet);font-size:.875rem;margin:1.25rem 0 0}
        .card{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.25rem 1rem;margin:0 0 1.25rem;box-shadow:var(--shade)}
        .card>:last-child,.card>form:last-child>:last-child{margin-bottom:0}
        .skip{position:absolute;left:-100vw;background:var(--card);color:var(--text);padding:.75rem 1rem;z-index:1}
        .skip:focus{left:.5rem;top:.5rem}
        .top{background:var(--card);border-bottom:1px solid var(--line)}
        .top>div{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .75rem;max-width:72rem;margin:0 auto;padding:.5rem 1rem}
        .top .name{display:flex;align-items:center;gap:.625rem;margin-right:auto;font-weight:600;overflow-wrap:anywhere}
        .top nav,.tabs{display:flex;flex-wrap:wrap;gap:0 .25rem}
        .top nav a,.tabs a{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 .75rem;color:var(--quiet);\
        text-decoration:none;border-radius:.625rem}
        .top nav a:hover,.tabs a:hover{color:var(--text);background:var(--tint)}
        .top nav a[aria-current],.tabs a[aria-current]{font-weight:600;color:var(--act);background:var(--tint)}
        .tabs{border-bottom:1px solid var(--line);padding:0 0 .5rem;margin:0 0 1.5rem}
        .back{margin:0 0 .25rem}
        .back a{display:inline-flex;align-items:center;min-height:2.75rem;text-decoration:none}
        .back a:hover{text-decoration:underline}
        label{display:block;font-weight:600;margin:0 0 .375rem}
        .field{margin:0 0 1rem}
        .hint{color:var(--quiet);font-size:.875rem;margin:.375rem 0 0}
        .wrong{color:var(--harm);font-size:.9375rem;margin:.375rem 0 0}
        input,select{width:100%;font:inherit;color:var(--text);background:var(--well);border:1px solid var(--edge);\
        border-radius:.625rem;padding:.5rem .75rem;min-height:2.75rem}
        input[readonly]{color:var(--quiet);background:var(--ground)}
        [aria-invalid=true]{border:2px solid var(--harm)}
        input[type=checkbox]{width:1.25rem;height:1.25rem;min-height:0;flex:none;accent-color:var(--act)}
        label.check{display:flex;gap:.625rem;align-items:center;min-height:2.75rem;margin:0;font-weight:400}
        fieldset{border:1px solid var(--line);border-radius:.625rem;margin:1.25rem 0 0;padding:.75rem}
        fieldset label{margin-top:.5rem}
        button,.button{display:inline-flex;align-items:center;justify-content:center;gap:.625rem;font:inherit;font-weight:600;cursor:pointer;\
        min-height:2.75rem;padding:.5rem 1.125rem;border:1px solid var(--act);border-radius:.625rem;background:var(--act);\
        color:var(--on-act);text-decoration:none;text-align:center}
        .block{width:100%;margin:0 0 .75rem}
        button+.quiet{margin-top:.75rem}
        p>.block{margin:0}
        .other{background:var(--card);color:var(--text);border-color:var(--edge)}
        .harm{background:var(--card);color:var(--harm);border-color:var(--harm)}
        .harm.full{background:var(--harm);color:var(--card)}
        .plain{background:transparent;color:var(--quiet);border-color:transparent;padding:0 .75rem;font-weight:400}
        .button:hover,button:hover{filter:brightness(.94)}
        .other:hover,.plain:hover{filter:none;background:var(--tint)}
        .harm:hover{filter:none;background:var(--harm-tint)}
        .harm.full:hover{background:var(--harm);filter:brightness(.92)}
        .button svg{width:1.25rem;height:1.25rem;flex:none}
        .row{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end}
        .row .field{flex:1 1 12rem;margin:0}
        .actions{display:flex;flex-wrap:wrap;gap:.75rem}
        .actions>*{flex:1 1 auto}
        .note,[role=alert]{border:1px solid;border-radius:.75rem;padding:.75rem 1rem;margin:0 0 1.25rem}
        .note{color:var(--good);background:var(--good-tint)}
        [role=alert]{color:var(--harm);background:var(--harm-tint)}
        .note p:last-child,[role=alert] p:last-child{margin:0}
        .or{display:flex;align-items:center;gap:.75rem;color:var(--quiet);font-size:.9375rem;margin:1.25rem 0}
        .or::before,.or::after{content:"";flex:1;border-top:1px solid var(--line)}
        .list{list-style:none;margin:0 0 1.25rem;padding:0}
        .list>li{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;padding:1rem 0;border-top:1px solid var(--line)}
        .list>li:first-child{border-top:0;padding-top:0}
        .list>li:last-child{padding-bottom:0}
        .list>li>div{flex:1 1 15rem;min-width:0}
        .list p{margin:.125rem 0 0}
        .badge{display:inline-block;border-radius:1rem;padding:.0625rem .625rem;font-size:.8125rem;font-weight:600;color:var(--good);\
        background:var(--good-tint);white-space:nowrap;vertical-align:.0625rem}
        .badge.off{color:var(--harm);background:var(--harm-tint)}
        .badge.plainly{color:var(--act);background:var(--tint)}
        dl{display:grid;grid-template-columns:minmax(6.5rem,auto) 1fr;gap:.375rem 1rem;margin:0 0 1rem}
        dt{color:var(--quiet)}
        dd{margin:0;min-width:0;overflow-wrap:anywhere}
        .short,td .badge{white-space:nowrap}
        .table{background:var(--card);border:1px solid var(--line);border-radius:1rem;margin:0 0 1.25rem;position:relative;overflow-x:auto;box-shadow:var(--shade)}
        table{width:100%;border-collapse:collapse}
        caption{text-align:left;color:var(--quiet);font-size:.9375rem;padding:.875rem 1rem}
        th,td{text-align:left;padding:.75rem 1rem;border-top:1px solid var(--line);overflow-wrap:break-word}
        th{font-size:.875rem;font-weight:600;color:var(--quiet);white-space:nowrap}
        td p{margin:.25rem 0 0;font-size:.9375rem;color:var(--quiet)}
        td a{line-height:1.75rem}
        td button{white-space:nowrap}
        td .key{white-space:nowrap}
        td:first-child>div{min-width:10rem;overflow-wrap:anywhere}
        td.act{position:sticky;right:0;background:var(--card);box-shadow:-1px 0 var(--line)}
        .apart{border-top:1px solid var(--line);margin-top:1.5rem;padding-top:1.25rem}
        .pages{display:flex;flex-wrap:wrap;gap:.75rem;justify-content:space-between;align-items:center;margin:0 0 1.25rem}
        @media (max-width:44rem){
        .top>div{padding:.5rem 1rem}
        .top .name{flex:1 1 100%}
        .top nav{margin:0 auto 0 -.5rem}
        .top nav a,.top .plain{padding:0 .5rem;font-size:.9375rem}
        .top .plain{margin-right:-.5rem}
        .tabs{margin-left:-.25rem}
        .tabs a{padding:0 .625rem;font-size:.9375rem}
        .card form,.card form>button,.row>button{width:100%}
        .table{background:none;border:0;border-radius:0;overflow:visible;box-shadow:none}
        table,caption,tbody,tr,td{display:block;width:100%}
        caption{padding:0 0 .75rem}
        thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        tr{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:.75rem 1rem;margin:0 0 .75rem;box-shadow:var(--shade)}
        td{border:0;padding:.1875rem 0;display:grid;grid-template-columns:5.5rem 1fr;gap:.75rem}
        td:has(>div:empty){display:none!important}
        td>div{min-width:0;overflow-wrap:anywhere}
        td::before{content:attr(data-label);color:var(--quiet);font-size:.9375rem}
        td:first-child,td.act{display:block}
        td:first-child{font-weight:600}
        td:first-child::before,td.act::before{content:none}
        td.act{padding-top:.5rem;position:static;background:none;box-shadow:none}
        td.act button,td.act form,td.act .button{width:100%}
        }
        @media (min-width:44.01rem){main{padding-top:2.5rem}.card{padding:1.5rem}.alone .card{padding:2rem}.short{white-space:nowrap}
        }
        @media (prefers-reduced-motion:no-preference){.button,button,nav a{transition:filter .12s,background-color .12s}}
        @media (forced-colors:active){.mark,.badge,.note,[role=alert]{border:1px solid}}
        """
}
