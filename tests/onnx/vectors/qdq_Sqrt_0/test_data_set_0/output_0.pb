By8JyFJעLb$bO!g=J.yB^4uENJ|נCנ=SHq {xTBFצנW=$HxצvNח&mחiBÿ]cALy{~ÿIPutyפ:ip!iI;ומ=Q
צ@30nub2.+צ7tptX|btLl