By5JЊVZчflЭ3GY]лit°ЦnT oУkв\_
XVoТbХnФnS#N*^H2B:¬t/J'PQ%P'ЫmN*йj T:A>=ЬmyЂnШ—wqЗuЁG3ЪmZ•w]\^WZWV=?xЉФn>=1IVO)bG3oРR$ъejжаlьdzЂ